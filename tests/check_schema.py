#!/usr/bin/python3
"""Holds the example scenes against the JSON Schema that mbsim makes, with a validator that is not ours.

Usage: check_schema.py SCHEMA.json (or - for standard input), from the repository's root. Every scene below scenes/ must
be valid, except those in scenes/bad: of the ones that are JSON, those whose fault the schema can see must not be, and one
mistake is one error. The schema keeps the rules of validators that are strict (ajv's `strict: true`).
"""

import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: run `make deps`")

# Scenes in scenes/bad whose fault lies beyond what a JSON Schema says: names, values of expressions, lengths.
BEYOND = {
    "joint_velocity_axis", "joint_velocity_both", "joint_velocity_same", "attach_body", "attach_pinned", "attach_to_circle", "attach_to_count", "attach_to_deformable",
    "attach_to_index", "attach_to_itself", "attach_to_pinned", "attach_to_sum", "ball_size", "body_motion_joint", "box_large",
    "box_size", "cable_coincident", "cable_pushes", "cable_redmax", "channel_deformable", "closure_pitch",
    "closure_singular", "cloth_edge", "cloth_line", "cloth_of_box", "cloth_square", "cloth_unused", "cloth_volume",
    "composite_maximal", "constraint_body", "constraint_closure", "contact_damping",
    "contact_itself", "contact_pair_body", "contact_pair_twice", "contact_rk45", "contact_sides", "contact_trapezoidal", "constraint_damping", "constraint_same_body",
    "deformable_grid_large", "deformable_mesh_kind", "deformable_name_twice", "deformable_rope_size",
    "distance_coincident", "expression_assigns", "expression_infinite", "expression_name", "expression_time",
    "expression_two_results", "force_body", "force_on_world", "inertia_and_shape_density",
    "inertia_and_shape_material", "joint_circle", "joint_fixed_number", "joint_force_count", "joint_itself",
    "joint_friction_without_size", "joint_massless", "joint_parent_unknown", "joint_pose", "joint_position_count", "limits_count",
    "limits_first_order", "limits_order", "limits_outward", "limits_spherical", "material_unknown", "matrix_mirror",
    "matrix_skew", "mesh_deformable_ending", "mesh_deformable_missing", "mesh_missing", "mesh_surface",
    "motion_count", "motion_empty", "motion_fixed", "multi_spring_all_passive", "multi_spring_passive",
    "name_twice", "neo_hookean_poisson", "node_at", "node_index", "node_line", "node_projective",
    "parameter_itself", "part_name_number", "part_name_twice", "parameter_name", "parameter_order", "pin_motion_redmax", "pin_motion_twice", "pin_vertex",
    "projective_acceleration", "projective_integrator", "projective_law", "projective_nothing", "quaternion_length",
    "ratio_free", "ratio_same", "ratio_without_joint", "reduction_chain", "reduction_cycle", "reduction_soft",
    "reduction_start", "rolling_along", "rolling_box", "rolling_flat", "rolling_itself", "rolling_plane",
    "rolling_soft", "rope_first_order", "select_box_empty", "select_box_order", "select_sphere_empty",
    "solver_channel_redmax", "spring_body", "spring_node", "spring_same_body", "spring_strain_length",
    "spring_zero_length", "stabilization_rk45", "table_lengths", "table_order", "tets_corner", "tets_cut",
    "tets_flat", "tets_of_grid", "tets_second_order", "wrench_empty",
}

# Those that are more than one mistake to who reads them number by number.
SEVERAL = {"deformable_mesh_none", "inertia_rows", "select_box_one"}


def load(path):
    def no_constant(word):
        raise ValueError(word)

    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=no_constant)
    except ValueError:
        return None


# What keywords say something of; all others of the schema are of any type.
OF_TYPE = {
    "object": {"properties", "required", "patternProperties", "additionalProperties", "propertyNames", "dependentRequired"},
    "array": {"items", "minItems", "maxItems", "uniqueItems", "contains"},
    "string": {"pattern", "minLength", "maxLength"},
    "number": {"minimum", "maximum", "exclusiveMinimum"},
}
OF_ANY = {"type", "description", "default", "title", "enum", "const", "not", "if", "then", "else", "allOf", "$ref"}


def lax(schema, types=frozenset(), place="#"):
    """Yields what strict validators refuse: unknown keywords, ones of another type, required keys that are not described."""
    if isinstance(schema, bool):
        return
    types = types | {schema["type"]} if "type" in schema else types
    if not isinstance(schema.get("type", ""), str):
        yield f"{place}: a union of types"
    for keyword in schema.keys() - OF_ANY:
        kind = next((k for k, words in OF_TYPE.items() if keyword in words), None)
        if kind is None:
            yield f"{place}: unknown keyword {keyword}"
        elif kind not in types and not (kind == "number" and "integer" in types):
            yield f"{place}: {keyword} without type {kind}"
    for key in schema.get("required", []):
        if key not in schema.get("properties", {}):
            yield f"{place}: required {key} is not among the properties"
    if ("then" in schema or "else" in schema) != ("if" in schema):
        yield f"{place}: if, then and else do not go together"
    for keyword in ("if", "then", "else", "not"):
        if keyword in schema:
            yield from lax(schema[keyword], types, f"{place}/{keyword}")
    for i, one in enumerate(schema.get("allOf", [])):
        yield from lax(one, types, f"{place}/allOf/{i}")
    for keyword in ("items", "contains", "additionalProperties"):
        if keyword in schema:
            yield from lax(schema[keyword], frozenset(), f"{place}/{keyword}")
    if "propertyNames" in schema:
        yield from lax(schema["propertyNames"], frozenset({"string"}), f"{place}/propertyNames")
    for keyword in ("properties", "patternProperties"):
        for key, one in schema.get(keyword, {}).items():
            yield from lax(one, frozenset(), f"{place}/{keyword}/{key}")


def main():
    if len(sys.argv) != 2:
        print("usage: check_schema.py SCHEMA.json (or - for standard input)", file=sys.stderr)
        sys.exit(2)
    text = sys.stdin.read() if sys.argv[1] == "-" else pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = good = refused = beyond = 0
    if schema.get("$id") != "urn:mbsim:scene:1":
        failures += 1
        print(f"the schema calls itself {schema.get('$id')}")
    for name, definition in schema["$defs"].items():
        for complaint in lax(definition):
            failures += 1
            print(f"{name}{complaint}")

    for path in sorted(pathlib.Path("scenes").rglob("*.json")):
        if path.name.endswith(".study.json"):
            continue
        scene = load(path)
        if path.parent.name != "bad":
            good += 1
            for error in validator.iter_errors(scene):
                failures += 1
                print(f"{path}: {error.json_path}: {error.message[:200]}")
        elif scene is not None and not path.with_suffix(".expect").exists():
            errors = list(validator.iter_errors(scene))
            valid = not errors
            refused, beyond = refused + (not valid), beyond + valid
            if len(errors) > 1 and path.stem not in SEVERAL:
                failures += 1
                print(f"{path}: one mistake, and {len(errors)} errors: {[e.json_path for e in errors]}")
            if valid != (path.stem in BEYOND):
                failures += 1
                print(f"{path}: the schema {'takes' if valid else 'refuses'} it")

    if good < 8 or refused < 90:
        failures += 1
        print(f"only {good} scenes were valid and {refused} refused: is this the repository's root?")
    print(f"{good} good scenes; of {refused + beyond} bad ones the schema refuses {refused}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

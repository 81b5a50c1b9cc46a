#!/usr/bin/python3
"""Holds the example scenes against the JSON Schema that mbsim makes, with a validator that is not ours.

Usage: check_schema.py SCHEMA.json (or - for standard input), from the repository's root. Every scene below scenes/ must
be valid, except those in scenes/bad: of the ones that are JSON, those whose fault the schema can see must not be.
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
    "axis_zero", "euler_order", "expression_assigns", "expression_infinite",
    "expression_name", "expression_time", "expression_two_results", "force_body", "force_on_world", "material_unknown",
    "matrix_mirror", "matrix_skew", "mesh_missing", "name_twice", "parameter_name", "parameter_order",
    "quaternion_length", "table_lengths", "table_order",
    "joint_circle", "composite_maximal", "joint_composite_empty", "joint_euler_order", "joint_parent_unknown",
    "joint_pose", "joint_position_count", "joint_spline_short", "spring_same_body", "spring_strain_length",
    "spring_zero_length", "spring_body", "multi_spring_passive", "multi_spring_all_passive",
    "muscle_path_short", "inertia_and_shape_density", "inertia_and_shape_material", "parameter_itself",
    "wrench_empty", "joint_force_count", "constraint_body", "constraint_closure", "constraint_damping",
    "rolling_along", "rolling_box", "rolling_flat", "rolling_itself", "rolling_plane", "rolling_soft",
    "velocity_ratio_direction",
    "constraint_same_body", "rope_first_order", "limits_first_order", "reduction_chain", "reduction_cycle",
    "reduction_start", "reduction_soft", "limits_count", "limits_order", "limits_spherical",
    "motion_count", "motion_empty", "motion_fixed", "ratio_free", "ratio_same", "ratio_without_joint",
    "stabilization_rk45", "limits_outward", "joint_massless",
    "joint_fixed_number", "joint_velocity_axis", "joint_velocity_both", "joint_velocity_same", "distance_coincident", "joint_itself", "closure_pitch", "closure_singular",
    "body_motion_joint", "body_motion_order", "attach_body", "attach_to_deformable", "attach_to_index",
    "attach_to_sum", "attach_to_count", "attach_to_pinned", "attach_to_circle", "attach_to_itself", "channel_deformable",
    "deformable_grid_large", "deformable_grid_size", "deformable_grid_whole",
    "deformable_name_twice", "deformable_rope_length", "deformable_rope_size", "node_at", "node_index",
    "node_line", "pin_axes", "pin_select_none", "pin_select_two", "pin_side", "pin_vertex", "spring_node",
    "deformable_mesh_kind", "tets_of_grid", "cloth_of_box",
    "cloth_square", "box_size", "box_large", "box_whole", "ball_radius", "ball_length", "grid_radius", "ball_size",
    "mesh_deformable_missing", "mesh_deformable_ending", "mesh_surface", "select_box_order", "select_box_empty",
    "select_sphere_empty", "pin_motion_redmax", "pin_motion_twice", "attach_pinned", "cable_short",
    "cable_coincident", "cable_pushes", "cable_redmax", "node_projective", "projective_free_body", "projective_integrator",
    "projective_law", "projective_nothing", "solver_channel_redmax",
    "neo_hookean_poisson", "cloth_unused", "cloth_edge", "cloth_line", "tets_flat", "cloth_volume", "tets_second_order", "tets_cut", "tets_corner",
}


def load(path):
    def no_constant(word):
        raise ValueError(word)

    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=no_constant)
    except ValueError:
        return None


def main():
    text = sys.stdin.read() if sys.argv[1] == "-" else pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = good = refused = 0

    for path in sorted(pathlib.Path("scenes").rglob("*.json")):
        scene = load(path)
        if path.parent.name != "bad":
            good += 1
            for error in validator.iter_errors(scene):
                failures += 1
                print(f"{path}: {error.json_path}: {error.message[:200]}")
        elif scene is not None and not path.with_suffix(".expect").exists():
            valid = validator.is_valid(scene)
            refused += not valid
            if valid != (path.stem in BEYOND):
                failures += 1
                print(f"{path}: the schema {'takes' if valid else 'refuses'} it")

    if good < 8 or refused < 30:
        failures += 1
        print(f"only {good} scenes were valid and {refused} refused: is this the repository's root?")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

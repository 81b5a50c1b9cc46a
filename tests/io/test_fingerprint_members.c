// A checkpoint of another model must not be taken, whichever member of the model's structs differs, also one that no key of a scene
// sets by itself. In the models of all scenes of the format's words (words_probes.c) every byte that a struct has beside padding and pointers
// is changed once, for each kind of force, constraint, joint, shape and deformable there is: the fingerprint changes. Which bytes these are the
// compiler says, so that a member that is added is among them.
#include "core/compile/compile_internal.h"
#include "core/model/ops.h"
#include "tests/io/words_scenes.h"
#include "tests/runs.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define KNOWN 1
#endif
#endif

#ifdef KNOWN

enum { MOST_SEEN = 200, MOST_BYTES = 1000 };

static char seen[MOST_SEEN][80];
static size_t nseen, nchanged;
static int unseen;

static bool was_seen(const char *name) {
  for (size_t i = 0; i < nseen; i++)
    if (!strcmp(seen[i], name)) return true;
  return false;
}

// Whether a kind has not been met in another scene; notes that it has been now.
static bool is_new(const char *of, const char *kind) {
  char name[80];
  snprintf(name, sizeof name, "%s %s", of, kind);
  if (was_seen(name)) return false;
  cr_assert_lt(nseen, MOST_SEEN);
  strcpy(seen[nseen++], name);
  return true;
}

static void check_changed(const MbModel *model, const char *of, size_t byte) {
  nchanged++;
  if (mb_compile_fingerprint(model) != model->fingerprint) return;
  unseen++;
  printf("%s: byte %zu is not in the fingerprint\n", of, byte);
}

// Changes each of the bytes [from, n) at `what` that are members (NULL: all are).
static void change_bytes(const MbModel *model, const char *of, const void *what, size_t from, size_t n,
                         const unsigned char *members) {
  unsigned char *byte = (unsigned char *)(uintptr_t)what;
  for (size_t i = from; i < n; i++) {
    if (members && !members[i]) continue;
    byte[i] ^= 1;
    check_changed(model, of, i);
    byte[i] ^= 1;
  }
}

// A count, which the fingerprint goes by: one less, as there is no more.
static void change_count(const MbModel *model, const char *of, const size_t *count, size_t offset) {
  size_t *n = (size_t *)(uintptr_t)count;
  if (!*n) return;
  --*n;
  check_changed(model, of, offset);
  ++*n;
}

// Bytes of members are 0xff in `members`, those of padding 0; counts are 0, too.
#define MEMBERS(type)                                                                                        \
  type all;                                                                                                  \
  unsigned char members[MOST_BYTES];                                                                         \
  cr_assert_leq(sizeof all, sizeof members);                                                                 \
  memset(&all, 0xff, sizeof all);                                                                            \
  __builtin_clear_padding(&all);                                                                             \
  memcpy(members, &all, sizeof all)
#define COUNT(type, what, count)                                                                             \
  memset(members + offsetof(type, count), 0, sizeof(what)->count);                                           \
  change_count(model, #type "." #count, &(what)->count, offsetof(type, count))
// All before `first` are pointers.
#define CHANGE(type, what, first, pointers)                                                                  \
  cr_assert_eq(offsetof(type, first), (pointers) * sizeof(void *), #type " has numbers among its pointers"); \
  change_bytes(model, #type, what, offsetof(type, first), sizeof(type), members)

// ---- the structs -------------------------------------------------------------------------------------------------

static void change_joint(const MbModel *model, const MbJoint *joint) {
  if (!joint->ops || !is_new("joint", joint->ops->name)) return;
  MEMBERS(MbJoint);
  COUNT(MbJoint, joint, nparts);
  CHANGE(MbJoint, joint, n, 5);
  if (joint->base) change_bytes(model, "MbJoint.base", joint->base, 0, sizeof *joint->base, NULL);
  for (size_t i = 0; i < joint->nparts; i++) change_joint(model, &joint->part[i]);
}

static void change_spline(const MbModel *model, const MbJoint *joint) {
  const MbSpline *spline = joint->spline;
  if (!spline || !is_new("spline", joint->ops->name)) return;
  MEMBERS(MbSpline);
  COUNT(MbSpline, spline, rows);
  COUNT(MbSpline, spline, columns);
  CHANGE(MbSpline, spline, rows, 3);
  const size_t numbers = 6 * spline->rows * spline->columns * sizeof *spline->control;
  if (spline->frame)
    change_bytes(model, "MbSpline.frame", spline->frame, 0, spline->rows * sizeof *spline->frame, NULL);
  if (spline->control) change_bytes(model, "MbSpline.control", spline->control, 0, numbers, NULL);
}

static void change_force(const MbModel *model, const MbForce *force) {
  if (!is_new("force", force->ops->name)) return;
  MEMBERS(MbForce);
  COUNT(MbForce, force, npoints);
  CHANGE(MbForce, force, npoints, 6);
  change_bytes(model, force->ops->name, force->parameters, 0, force->ops->parameters, NULL);
  MbForcePoint point;
  memset(&point, 0xff, sizeof point);
  __builtin_clear_padding(&point);
  memcpy(members, &point, sizeof point);
  for (size_t i = 0; i < force->npoints; i++)
    change_bytes(model, "MbForcePoint", &force->points[i], 0, sizeof point, members);
}

static void change_constraint(const MbModel *model, const MbConstraint *constraint) {
  if (!is_new("constraint", constraint->ops->name)) return;
  MEMBERS(MbConstraint);
  COUNT(MbConstraint, constraint, nmasters);
  CHANGE(MbConstraint, constraint, slot, 5);
  change_bytes(model, constraint->ops->name, constraint->parameters, 0, constraint->ops->parameters, NULL);
  if (constraint->nmasters)
    change_bytes(model, "MbMaster", constraint->master, 0, sizeof *constraint->master, NULL);
  if (constraint->closure) change_joint(model, constraint->closure);
}

static void change_signal(const MbModel *model, const MbSignal *signal) {
  static const char *const kinds[] = {"0", "1", "2", "3", "4", "5"};
  if (!is_new("signal", kinds[signal->kind])) return;
  MEMBERS(MbSignal);
  COUNT(MbSignal, signal, count);
  CHANGE(MbSignal, signal, kind, 5);
  if (signal->text) change_bytes(model, "MbSignal.text", signal->text, 0, 1, NULL);
  change_bytes(model, "MbSignal.times", signal->times, 0, signal->count * sizeof *signal->times, NULL);
  change_bytes(model, "MbSignal.values", signal->values, 0, signal->count * sizeof *signal->values, NULL);
}

static void change_solid(const MbModel *model, const MbSolid *solid) {
  if (!is_new("shape", mb_shape_words[solid->kind])) return;
  MEMBERS(MbSolid);
  CHANGE(MbSolid, solid, kind, 1);
  if (!solid->mesh) return;
  change_bytes(model, "MbMesh.vertex", solid->mesh->vertex, 0, 3 * solid->mesh->nv * sizeof(double), NULL);
  change_bytes(model, "MbMesh.triangle", solid->mesh->triangle, 0,
               3 * solid->mesh->nt * sizeof *solid->mesh->triangle, NULL);
}

static void change_cable(const MbModel *model, const MbCable *cable) {
  if (!is_new("part", "cable")) return;
  MEMBERS(MbCable);
  COUNT(MbCable, cable, npoints);
  CHANGE(MbCable, cable, npoints, 2);
  change_bytes(model, "MbCable.node", cable->node, 0, cable->first[cable->npoints] * sizeof *cable->node,
               NULL);
}

static void change_surface(const MbModel *model, const MbElementSurface *surface) {
  if (!surface || !is_new("surface", surface->nchambers ? "chambers" : "wind")) return;
  MEMBERS(MbElementSurface);
  COUNT(MbElementSurface, surface, nchambers);
  COUNT(MbElementSurface, surface, nouter);
  CHANGE(MbElementSurface, surface, nchambers, 4);
}

static void change_held(const MbModel *model, const MbElements *e) {
  if (e->npinned && is_new("part", "pin")) {
    MEMBERS(MbPinnedNode);
    change_bytes(model, "MbPinnedNode", e->pinned, 0, sizeof all, members);
  }
  if (e->nattached && is_new("part", "attachment")) {
    MEMBERS(MbAttachedNode);
    change_bytes(model, "MbAttachedNode", e->attached, 0, sizeof all, members);
  }
  if (e->nmotions && is_new("part", "pin's motion")) {
    MEMBERS(MbPinMotion);
    change_bytes(model, "MbPinMotion", e->motions, 0, sizeof all, members);
  }
  if (e->nfibres && is_new("part", "fibres")) {
    MEMBERS(MbFibres);
    CHANGE(MbFibres, e->fibres, stiffness, 1);
    change_bytes(model, "MbFibres.weight", e->fibres->weight, 0, sizeof *e->fibres->weight, NULL);
  }
}

static void change_elements(const MbModel *model, const MbElements *e) {
  static const size_t pointers = sizeof(MbElementMesh) / sizeof(void *) + 11;
  change_held(model, e);
  for (size_t i = 0; i < e->ncables; i++) change_cable(model, &e->cables[i]);
  change_surface(model, e->surface);
  if (!is_new("material", mb_elastic_words[e->model])) return;
  MEMBERS(MbElements);
  COUNT(MbElements, e, npinned);
  COUNT(MbElements, e, nattached);
  COUNT(MbElements, e, nmotions);
  COUNT(MbElements, e, ncables);
  COUNT(MbElements, e, nfibres);
  CHANGE(MbElements, e, npinned, pointers);
  const double *const numbers[] = {e->mass, e->x0, e->v0, e->mesh.x};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    change_bytes(model, "MbElements' nodes", numbers[i], 0, sizeof **numbers, NULL);
  if (e->mesh.tets) change_bytes(model, "MbElementMesh.tet", e->mesh.tet, 0, 4 * sizeof *e->mesh.tet, NULL);
}

// What there is of one kind alone, and lists of numbers.
static void change_others(const MbModel *model) {
  if (model->ndrives && is_new("struct", "drive")) {
    MEMBERS(MbDrive);
    change_bytes(model, "MbDrive", model->drives, 0, sizeof all, members);
  }
  if (model->nreductions && is_new("struct", "reduction")) {
    MEMBERS(MbReduction);
    change_bytes(model, "MbReduction", model->reductions, 0, sizeof all, members);
  }
  if (model->nfollowers && is_new("struct", "follower")) {
    MEMBERS(MbFollower);
    COUNT(MbFollower, model->followers, nmasters);
    CHANGE(MbFollower, model->followers, body, 1);
  }
  if (model->nports && is_new("struct", "port")) {
    MEMBERS(MbPort);
    change_bytes(model, "MbPort", model->ports, 0, sizeof all, members);
  }
  if (model->contacts.nrules && is_new("struct", "rule of two bodies")) {
    MEMBERS(MbBodyRule);
    change_bytes(model, "MbBodyRule", model->contacts.rules, 0, sizeof all, members);
  }
  if (model->contacts.nsurfaces && is_new("struct", "surface that touches")) {
    MEMBERS(MbDeformableSurface);
    CHANGE(MbDeformableSurface, model->contacts.surfaces, deformable, 2);
  }
  if (model->contacts.given && is_new("struct", "contacts")) {
    MEMBERS(MbContacts);
    memset(members + offsetof(MbContacts, given), 0, sizeof model->contacts.given);
    change_bytes(model, "MbContacts", &model->contacts, offsetof(MbContacts, given), sizeof all, members);
  }
  const struct {
    const char *name;
    const double *number;
    size_t n;
  } lists[] = {{"M", model->M, 6 * model->nb},
               {"damping", model->damping, model->nb},
               {"q0", model->q0, model->nq},
               {"v0", model->v0, model->nv},
               {"stiffness", model->stiffness, model->nv},
               {"rest", model->rest, model->nv},
               {"joint_damping", model->joint_damping, model->nv},
               {"joint_inertia", model->joint_inertia, model->rotors ? model->nv : 0},
               {"guess0", model->guess0, model->nguess},
               {"gravity", model->gravity, 3},
               {"h", &model->h, 1},
               {"gamma", &model->gamma, 1}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (lists[i].n && is_new("list", lists[i].name))
      change_bytes(model, lists[i].name, lists[i].number, 0, lists[i].n * sizeof(double), NULL);
}

static void change_model(const MbModel *model) {
  for (size_t b = 0; b < model->nb; b++) {
    change_spline(model, &model->joint[b]);
    change_joint(model, &model->joint[b]);
  }
  for (size_t i = 0; i < model->nforces; i++) change_force(model, &model->forces[i]);
  for (size_t i = 0; i < model->nconstraints; i++) change_constraint(model, &model->constraints[i]);
  for (size_t i = 0; i < model->nsignals; i++) change_signal(model, &model->signals[i]);
  for (size_t i = 0; i < model->contacts.nsolids; i++) change_solid(model, &model->contacts.solids[i]);
  for (size_t i = 0; i < model->ndeformables; i++)
    if (model->deformables[i].elements) change_elements(model, model->deformables[i].elements);
  change_others(model);
}

// ---- the scenes --------------------------------------------------------------------------------------------------

// Makes the model of one probe under a solver and, where the scene is none there, goes on. Shapes are of the model where they touch.
static void try_probe(const Probe *probe, const char *word, const char *solver) {
  static char scene[WORDS_TEXT], setting[WORDS_TEXT], setup[WORDS_TEXT], with[WORDS_TEXT];
  const char *sets[WORDS_SETS];
  char text[80];
  snprintf(text, sizeof text, "/solver={'type':'%s'}", solver);
  words_fill(scene, words_base, NULL);
  words_fill(setting, text, NULL);
  words_fill(setup, probe->setup, word);
  words_fill(with, probe->with, word);
  size_t n = words_cut(setting, sets, 0);
  n = words_cut(setup, sets, n);
  n = words_cut(with, sets, n);
  cr_assert_lt(n, WORDS_SETS - 1);
  if (!strncmp(probe->path, "shape.", 6)) sets[n++] = "/contact={}";
  sets[n] = NULL;
  const MbSceneOptions options = {.sets = sets, .nsets = n};
  MbReport report = {0};
  MbScene *read = NULL;
  MbModel *model = NULL;
  MbStatus status = mb_scene_parse(scene, strlen(scene), "words", ".", &options, &read, &report);
  if (status == MB_OK) status = mb_model_create(read, &model, &report);
  if (status == MB_OK) change_model(model);
  mb_model_free(model);
  mb_scene_free(read);
}

static void want(const char *of, const char *const *words) {
  char name[80];
  for (size_t i = 0; words[i]; i++) {
    snprintf(name, sizeof name, "%s %s", of, words[i]);
    cr_expect(was_seen(name), "no scene has a model with a %s", name);
  }
}

Test(fingerprint_members, every_member_of_every_kind_tells_models_apart) {
  for (size_t s = 0; mb_solver_words[s]; s++)
    for (size_t p = 0; p < words_count; p++) {
      const Probe *probe = &words_probes[p];
      if (!strchr(probe->path, '*')) {
        try_probe(probe, NULL, mb_solver_words[s]);
        continue;
      }
      const Words words = words_at(probe->path);
      for (size_t w = 0; words.list[w]; w++) try_probe(probe, words.list[w], mb_solver_words[s]);
    }
  cr_expect_eq(unseen, 0, "of %zu bytes of members %d are not in the fingerprint", nchanged, unseen);
  want("force", mb_force_words);
  want("constraint", mb_constraint_words);
  want("joint", mb_joint_words);
  want("shape", mb_shape_words);
  want("material", mb_elastic_words);
  static const char *const structs[] = {"struct drive",
                                        "struct reduction",
                                        "struct follower",
                                        "struct port",
                                        "struct rule of two bodies",
                                        "struct surface that touches",
                                        "struct contacts",
                                        "part cable",
                                        "part pin",
                                        "part attachment",
                                        "part pin's motion",
                                        "part fibres",
                                        "surface chambers",
                                        "surface wind",
                                        "spline spline_curve",
                                        "spline spline_surface"};
  for (size_t i = 0; i < sizeof structs / sizeof *structs; i++)
    cr_expect(was_seen(structs[i]), "no scene has a model with a %s", structs[i]);
}

#else
Test(fingerprint_members, every_member_of_every_kind_tells_models_apart, .disabled = true) {}
#endif

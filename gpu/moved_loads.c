// What acts on nodes beside their elements, on a device: lists of it, made on the processor from what the engine has; and a step's.
#include "core/base/alloc.h"
#include "core/deformables/cable.h"
#include "gpu/moved.h"

#include <string.h>

typedef struct MbMovedLoads {
  size_t families, winds, chambers, cables, through; // how many; nodes of cables' points
  size_t given, entries;                             // numbers of a step; shares of nodes in vectors
  double *step;                                      // (given) activations, winds, pressures, tensions
  // in the order of MbLoadArgs
  uint32_t *fibre_node, *family, *blown_node, *blown_by, *pressed_node, *chamber_of, *chamber, *cable, *point,
      *nodes, *mine, *which;
  double *fibre_share, *fibre_volume, *share;
  MbFibreStuff *stuff;
  MbWindStuff *air;
  MbChamberStuff *room;
} MbMovedLoads;

static size_t vectors(const MbMoved *moved) {
  const MbLoadArgs *a = &moved->loads;
  return (size_t)a->nfibres + a->nblown + a->npressed + a->npoints;
}

// ---- how many ---------------------------------------------------------------------------------------------

static void count(MbMoved *moved, const MbPdEngine *engine) {
  MbMovedLoads *l = moved->acting;
  MbLoadArgs *a = &moved->loads;
  const MbCablePath *path = NULL;
  size_t corners;
  l->winds = engine->nloaded;
  for (size_t i = 0; i < engine->nloaded; i++) {
    const MbPdLoaded *s = &engine->loaded[i];
    const size_t points = mb_pd_fibred(s, &corners), families = points ? s->fibred->nfibres : 0;
    a->nfibres += (uint32_t)(points * families), l->families += families;
    a->nblown += (uint32_t)s->of->nouter;
    l->chambers += s->of->nchambers;
    if (s->of->nchambers) a->npressed += (uint32_t)s->of->chamber[s->of->nchambers];
  }
  l->cables = mb_pd_cables(engine, &path);
  for (size_t n = 0; n < l->cables; n++)
    a->npoints += (uint32_t)path[n].npoints, l->through += path[n].first[path[n].npoints];
  a->nchambers = (uint32_t)l->chambers;
  a->span = engine->span;
  l->given = l->families + 3 * l->winds + l->chambers + l->cables;
  l->entries = (size_t)MB_LOAD_CORNERS * a->nfibres + 3 * ((size_t)a->nblown + a->npressed) + l->through;
}

static bool make_room(MbMoved *moved, size_t n) {
  MbMovedLoads *l = moved->acting;
  const MbLoadArgs *a = &moved->loads;
  l->step = mb_calloc(l->given, sizeof *l->step);
  l->fibre_node = mb_calloc(a->nfibres, MB_LOAD_CORNERS * sizeof(uint32_t));
  l->fibre_share = mb_calloc(a->nfibres, MB_LOAD_CORNERS * sizeof(double));
  l->fibre_volume = mb_calloc(a->nfibres, sizeof(double)),
  l->family = mb_calloc(a->nfibres, sizeof(uint32_t));
  l->blown_node = mb_calloc(a->nblown, 3 * sizeof(uint32_t)),
  l->blown_by = mb_calloc(a->nblown, sizeof(uint32_t));
  l->pressed_node = mb_calloc(a->npressed, 3 * sizeof(uint32_t));
  l->chamber_of = mb_calloc(a->npressed, sizeof(uint32_t));
  l->chamber = mb_calloc(l->chambers + 1, sizeof(uint32_t)),
  l->cable = mb_calloc(l->cables + 1, sizeof(uint32_t));
  l->point = mb_calloc((size_t)a->npoints + 1, sizeof(uint32_t)),
  l->nodes = mb_calloc(l->through, sizeof(uint32_t));
  l->mine = mb_calloc(n + 2, sizeof(uint32_t)), l->which = mb_calloc(l->entries, sizeof(uint32_t));
  l->share = mb_calloc(l->entries, sizeof(double));
  l->stuff = mb_calloc(l->families, sizeof *l->stuff), l->air = mb_calloc(l->winds, sizeof *l->air);
  l->room = mb_calloc(l->chambers, sizeof *l->room);
  return l->step && l->fibre_node && l->fibre_share && l->fibre_volume && l->family && l->blown_node &&
         l->blown_by && l->pressed_node && l->chamber_of && l->chamber && l->cable && l->point && l->nodes &&
         l->mine && l->which && l->share && l->stuff && l->air && l->room;
}

// Once they are there they are of no use here.
static void drop_lists(MbMovedLoads *l) {
  mb_free(l->fibre_node), l->fibre_node = NULL;
  mb_free(l->fibre_share), l->fibre_share = NULL;
  mb_free(l->fibre_volume), l->fibre_volume = NULL;
  mb_free(l->family), l->family = NULL;
  mb_free(l->blown_node), l->blown_node = NULL;
  mb_free(l->blown_by), l->blown_by = NULL;
  mb_free(l->pressed_node), l->pressed_node = NULL;
  mb_free(l->chamber_of), l->chamber_of = NULL;
  mb_free(l->chamber), l->chamber = NULL;
  mb_free(l->cable), l->cable = NULL;
  mb_free(l->point), l->point = NULL;
  mb_free(l->nodes), l->nodes = NULL;
  mb_free(l->mine), l->mine = NULL;
  mb_free(l->which), l->which = NULL;
  mb_free(l->share), l->share = NULL;
  mb_free(l->stuff), l->stuff = NULL;
  mb_free(l->air), l->air = NULL;
  mb_free(l->room), l->room = NULL;
}

void mb_moved_loads_free(MbMoved *moved) {
  MbMovedLoads *l = moved->acting;
  if (!l) return;
  drop_lists(l);
  mb_free(l->step);
  mb_free(l);
  moved->acting = NULL;
}

size_t mb_moved_loads_bytes(const MbMoved *moved) {
  const MbMovedLoads *l = moved->acting;
  return l ? sizeof *l + l->given * sizeof *l->step : 0; // lists have gone
}

size_t mb_moved_loads_energies(const MbMoved *moved) {
  const MbMovedLoads *l = moved->acting;
  return l ? moved->loads.nfibres + moved->loads.nblown + l->chambers + l->cables : 0;
}

// ---- lists ------------------------------------------------------------------------------------------------

typedef struct Filled { // so many so far
  size_t fibre, family, blown, pressed, chamber;
} Filled;

static void list_fibres(MbMovedLoads *l, const MbPdLoaded *s, Filled *at) {
  size_t corners;
  const size_t points = mb_pd_fibred(s, &corners);
  for (size_t m = 0; points && m < s->fibred->nfibres; m++, at->family++) {
    const MbFibres *f = &s->fibred->fibres[m];
    l->stuff[at->family] = (MbFibreStuff){f->stiffness, f->beyond, f->strength, f->limit};
    for (size_t k = 0; k < points; k++, at->fibre++) {
      const uint32_t *const corner = mb_pd_fibred_corners(s, k);
      l->family[at->fibre] = (uint32_t)at->family, l->fibre_volume[at->fibre] = s->fibred->fibre_volume[k];
      for (size_t c = 0; c < MB_LOAD_CORNERS; c++) {
        const size_t place = MB_LOAD_CORNERS * at->fibre + c;
        l->fibre_node[place] = (uint32_t)s->first + corner[c < corners ? c : 0];
        l->fibre_share[place] = c < corners ? f->weight[corners * k + c] : 0;
      }
    }
  }
}

static void list_surface(MbMovedLoads *l, const MbPdLoaded *s, size_t wind, Filled *at) {
  const MbElementSurface *of = s->of;
  const uint32_t first = (uint32_t)s->first;
  l->air[wind] = (MbWindStuff){of->density * of->drag / 2, of->density * of->lift / 2};
  for (size_t t = 0; t < of->nouter; t++, at->blown++) {
    for (size_t j = 0; j < 3; j++) l->blown_node[3 * at->blown + j] = first + of->outer[3 * t + j];
    l->blown_by[at->blown] = (uint32_t)(2 * wind + (t < of->nclosed));
  }
  for (size_t k = 0; k < of->nchambers; k++, at->chamber++) {
    l->room[at->chamber] = (MbChamberStuff){of->volume[k], of->gas, of->outside};
    for (size_t t = of->chamber[k]; t < of->chamber[k + 1]; t++, at->pressed++) {
      for (size_t j = 0; j < 3; j++) l->pressed_node[3 * at->pressed + j] = first + of->inner[3 * t + j];
      l->chamber_of[at->pressed] = (uint32_t)at->chamber;
    }
    l->chamber[at->chamber + 1] = (uint32_t)at->pressed;
  }
}

static void list_cables(MbMovedLoads *l, const MbPdEngine *engine) {
  const MbCablePath *path = NULL;
  size_t point = 0, node = 0;
  for (size_t n = 0; n < mb_pd_cables(engine, &path); n++) {
    for (size_t j = 0; j < path[n].npoints; j++) {
      for (size_t k = path[n].first[j]; k < path[n].first[j + 1]; k++) l->nodes[node++] = path[n].node[k];
      l->point[++point] = (uint32_t)node;
    }
    l->cable[n + 1] = (uint32_t)point;
  }
}

// A node's part in a vector: counted, and then noted.
static void note(MbMovedLoads *l, bool counting, uint32_t node, size_t vector, double share) {
  uint32_t *const at = &l->mine[node + (counting ? 2 : 1)];
  if (!counting) l->which[*at] = (uint32_t)vector, l->share[*at] = share;
  ++*at;
}

static void note_all(const MbMoved *moved, bool counting) {
  MbMovedLoads *l = moved->acting;
  const MbLoadArgs *a = &moved->loads;
  size_t vector = 0;
  for (size_t i = 0; i < a->nfibres; i++, vector++)
    for (size_t c = 0; c < MB_LOAD_CORNERS; c++)
      if (l->fibre_share[MB_LOAD_CORNERS * i + c] != 0)
        note(l, counting, l->fibre_node[MB_LOAD_CORNERS * i + c], vector,
             l->fibre_share[MB_LOAD_CORNERS * i + c]);
  for (size_t i = 0; i < a->nblown; i++, vector++)
    for (size_t j = 0; j < 3; j++) note(l, counting, l->blown_node[3 * i + j], vector, 1);
  for (size_t i = 0; i < a->npressed; i++, vector++)
    for (size_t j = 0; j < 3; j++) note(l, counting, l->pressed_node[3 * i + j], vector, 1);
  for (size_t j = 0; j < a->npoints; j++, vector++)
    for (uint32_t k = l->point[j]; k < l->point[j + 1]; k++) note(l, counting, l->nodes[k], vector, 1);
}

bool mb_moved_loads_list(MbMoved *moved, const MbPdEngine *engine) {
  Filled at = {0};
  if (!engine->nloaded && !engine->cables) return true;
  moved->acting = mb_calloc(1, sizeof *moved->acting);
  if (!moved->acting) return false;
  count(moved, engine);
  if (!make_room(moved, engine->n)) return false;
  for (size_t i = 0; i < engine->nloaded; i++) {
    list_fibres(moved->acting, &engine->loaded[i], &at);
    list_surface(moved->acting, &engine->loaded[i], i, &at);
  }
  list_cables(moved->acting, engine);
  note_all(moved, true);
  for (size_t i = 2; i <= engine->n + 1; i++) moved->acting->mine[i] += moved->acting->mine[i - 1];
  note_all(moved, false);
  return true;
}

// ---- there ------------------------------------------------------------------------------------------------

void mb_moved_loads_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next) {
  const MbMovedLoads *l = moved->acting;
  MbLoadArgs *a = &moved->loads;
  const size_t word = sizeof(double), index = sizeof(uint32_t);
  if (!l) return;
  a->activation = mb_moved_place(next, l->given, word);
  a->wind = a->activation ? a->activation + l->families : NULL;
  a->pressure = a->wind ? a->wind + 3 * l->winds : NULL;
  a->tension = a->pressure ? a->pressure + l->chambers : NULL;
  a->fibre_node = mb_moved_place(next, (size_t)MB_LOAD_CORNERS * a->nfibres, index);
  a->fibre_share = mb_moved_place(next, (size_t)MB_LOAD_CORNERS * a->nfibres, word);
  a->fibre_volume = mb_moved_place(next, a->nfibres, word),
  a->family = mb_moved_place(next, a->nfibres, index);
  a->families = mb_moved_place(next, l->families, sizeof *a->families);
  a->blown_node = mb_moved_place(next, 3 * (size_t)a->nblown, index);
  a->blown_by = mb_moved_place(next, a->nblown, index),
  a->winds = mb_moved_place(next, l->winds, sizeof *a->winds);
  a->f0 = mb_moved_place(next, 3 * (size_t)a->nblown, word),
  a->C = mb_moved_place(next, 9 * (size_t)a->nblown, word);
  a->mean = mb_moved_place(next, 3 * (size_t)a->nblown, word),
  a->at = mb_moved_place(next, 3 * (size_t)a->nblown, word);
  a->pressed_node = mb_moved_place(next, 3 * (size_t)a->npressed, index);
  a->chamber_of = mb_moved_place(next, a->npressed, index);
  a->chamber = mb_moved_place(next, l->chambers + 1, index);
  a->chambers = mb_moved_place(next, l->chambers, sizeof *a->chambers);
  a->part = mb_moved_place(next, a->npressed, word), a->P = mb_moved_place(next, l->chambers, word);
  a->cable = mb_moved_place(next, l->cables + 1, index),
  a->point = mb_moved_place(next, (size_t)a->npoints + 1, index);
  a->through = mb_moved_place(next, l->through, index);
  a->pull = mb_moved_place(next, 3 * vectors(moved), word);
  a->mine = mb_moved_place(next, engine->n + 1, index), a->which = mb_moved_place(next, l->entries, index);
  a->share = mb_moved_place(next, l->entries, word);
  a->energy =
      moved->energy ? moved->energy + moved->elements + engine->form.n + engine->form.rest.count : NULL;
  a->f = moved->nodes.f, a->q0 = moved->nodes.q0, a->v0 = moved->nodes.v0;
}

void mb_moved_loads_fill(MbMoved *moved, const MbPdEngine *engine) {
  MbMovedLoads *l = moved->acting;
  const MbLoadArgs *a = &moved->loads;
  const size_t word = sizeof(double), index = sizeof(uint32_t);
  if (!l) return;
  mb_moved_put(moved, a->fibre_node, l->fibre_node, (size_t)MB_LOAD_CORNERS * a->nfibres * index);
  mb_moved_put(moved, a->fibre_share, l->fibre_share, (size_t)MB_LOAD_CORNERS * a->nfibres * word);
  mb_moved_put(moved, a->fibre_volume, l->fibre_volume, a->nfibres * word);
  mb_moved_put(moved, a->family, l->family, a->nfibres * index);
  mb_moved_put(moved, a->families, l->stuff, l->families * sizeof *a->families);
  mb_moved_put(moved, a->blown_node, l->blown_node, 3 * (size_t)a->nblown * index);
  mb_moved_put(moved, a->blown_by, l->blown_by, a->nblown * index);
  mb_moved_put(moved, a->winds, l->air, l->winds * sizeof *a->winds);
  mb_moved_put(moved, a->pressed_node, l->pressed_node, 3 * (size_t)a->npressed * index);
  mb_moved_put(moved, a->chamber_of, l->chamber_of, a->npressed * index);
  mb_moved_put(moved, a->chamber, l->chamber, (l->chambers + 1) * index);
  mb_moved_put(moved, a->chambers, l->room, l->chambers * sizeof *a->chambers);
  mb_moved_put(moved, a->cable, l->cable, (l->cables + 1) * index);
  mb_moved_put(moved, a->point, l->point, ((size_t)a->npoints + 1) * index);
  mb_moved_put(moved, a->through, l->nodes, l->through * index);
  mb_moved_put(moved, a->mine, l->mine, (engine->n + 1) * index);
  mb_moved_put(moved, a->which, l->which, l->entries * index);
  mb_moved_put(moved, a->share, l->share, l->entries * word);
  drop_lists(l);
}

// ---- a step -----------------------------------------------------------------------------------------------

void mb_moved_loads_begin(MbMoved *moved, const MbPdEngine *engine) {
  MbMovedLoads *l = moved->acting;
  const MbNodeStart *start = engine->start;
  if (!l) return;
  double *activation = l->step, *wind = activation + l->families, *pressure = wind + 3 * l->winds;
  for (size_t i = 0; i < engine->nloaded; i++) {
    const MbPdLoaded *s = &engine->loaded[i];
    const MbNodeLoad *load = &start->load[s->part];
    size_t corners;
    const size_t families = mb_pd_fibred(s, &corners) ? s->fibred->nfibres : 0;
    for (size_t m = 0; m < families; m++) *activation++ = load->activation[m];
    for (size_t c = 0; c < 3; c++) *wind++ = load->wind[c];
    for (size_t k = 0; k < s->of->nchambers; k++) *pressure++ = load->pressure;
  }
  for (size_t n = 0; n < l->cables; n++) pressure[n] = start->force[n]; // tensions are behind
  mb_moved_put(moved, moved->loads.activation, l->step, l->given * sizeof *l->step);
  moved->on->run(moved->gpu, MB_RUN_mb_load_air, moved->loads.nblown, &moved->loads);
}

void mb_moved_loads_act(MbMoved *moved, const MbPdEngine *engine, const double *x) {
  const MbMovedLoads *l = moved->acting;
  MbLoadArgs args = moved->loads;
  if (!l) return;
  args.x = x;
  moved->on->run(moved->gpu, MB_RUN_mb_load_draw, args.nfibres, &args);
  moved->on->run(moved->gpu, MB_RUN_mb_load_blow, args.nblown, &args);
  moved->on->run(moved->gpu, MB_RUN_mb_load_volume, args.npressed, &args);
  moved->on->run(moved->gpu, MB_RUN_mb_load_chamber, l->chambers, &args);
  moved->on->run(moved->gpu, MB_RUN_mb_load_press, args.npressed, &args);
  moved->on->run(moved->gpu, MB_RUN_mb_load_cable, l->cables, &args);
  moved->on->run(moved->gpu, MB_RUN_mb_load_collect, engine->n, &args);
}

// What the files share that write a rig as MJCF: the writer, angles and frames, names, and the parts of a model outside its tree of bodies.
#ifndef MB_IO_MJCF_WRITE_H
#define MB_IO_MJCF_WRITE_H

#include "io/models/model_write.h"

// A point of a tie on a body, in the order of bodies.
typedef struct MbMjcfSite {
  size_t body, tie, k;
} MbMjcfSite;

typedef struct MbMjcfWriter {
  MbModelWriter *w;
  MbXmlWriter *x;
  const MbRig *rig;
  bool degrees;
  size_t nsites;
  MbMjcfSite *site;   // (nsites) of bodies from 0 on, then of the world
  size_t *first_site; // (nbodies + 2) of a body; nbodies: of the world
  size_t nmeshes;
  const MbRigShape **mesh; // (nmeshes) each file and scale once
  size_t ncontrols, room_controls;
  double *control; // (ncontrols) of the actuators
} MbMjcfWriter;

// Tells whether the model is better written in degrees: where some angle is round in them and none is not (mjcf_write_frames.c).
bool mb_mjcf_wants_degrees(const MbRig *rig);
// Returns an angle in radians as the model says it, which may be in degrees.
double mb_mjcf_say_angle(const MbMjcfWriter *m, double x);
// Puts `pos` and what turns into the element that is open; what changes nothing is left out.
void mb_mjcf_put_frame(MbMjcfWriter *m, const MbRigFrame *f);

// Returns what a body is called, which may be MB_RIG_WORLD (mjcf_write_names.c).
const char *mb_mjcf_body_name(const MbMjcfWriter *m, size_t b);
// Returns what others call a joint by: its own name, or its body's.
const char *mb_mjcf_joint_name(const MbMjcfWriter *m, size_t b, size_t k);
// Returns the name of a tie, or one that is made of its number.
const char *mb_mjcf_tie_name(const MbMjcfWriter *m, size_t i);
// Returns the name of a site, which is made of its tie's.
const char *mb_mjcf_site_name(const MbMjcfWriter *m, const MbMjcfSite *s);
// Adds an error where two joints would have the same name; false when memory ran out.
bool mb_mjcf_check_names(MbMjcfWriter *m);
// Tells whether a tie acts between sites: points and welds name places by themselves, where the model stands so.
bool mb_mjcf_needs_sites(const MbMjcfWriter *m, const MbRigTie *tie);
// Lists all sites in the order of bodies; false when memory ran out.
bool mb_mjcf_list_sites(MbMjcfWriter *m);
// Puts the sites of a body, or of the world where `place` is the number of bodies.
void mb_mjcf_put_sites(MbMjcfWriter *m, size_t place);

// Puts what holds bodies to one another: points, welds, ratios and rods (mjcf_write_ties.c).
void mb_mjcf_put_equality(MbMjcfWriter *m);
// Puts ropes, springs and muscles as tendons through their sites.
void mb_mjcf_put_tendons(MbMjcfWriter *m);
// Puts forces, motors and muscles, and keeps their controls for the keyframe; false when memory ran out.
bool mb_mjcf_put_actuators(MbMjcfWriter *m);
// Puts the keyframe "start", with a warning, where the scene begins elsewhere than the model stands, or some control is not 0.
void mb_mjcf_put_start(MbMjcfWriter *m);

#endif

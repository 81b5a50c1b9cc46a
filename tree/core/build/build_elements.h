// Deformables of elements (core/model/deformable.h), in two parts. Private to core/build.
#ifndef MB_BUILD_BUILD_ELEMENTS_H
#define MB_BUILD_BUILD_ELEMENTS_H

#include "core/model/model.h"

// Their meshes, materials and nodes; in place of mb_build_deformables where nodes are no bodies.
MbStatus mb_build_elements(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// The same of deformable i alone: its name, its count, its elements; not which its nodes are.
MbStatus mb_build_shape(const MbDeformableSpec *spec, size_t i, MbModel *model, MbDeformable *to,
                        MbReport *report);
// Elements of deformable i as a force between nodes that are bodies; of pairs only what mb_build_pairs makes them from.
MbStatus mb_build_element_force(const MbDeformable *of, size_t i, MbModel *model, MbForce *force,
                                MbReport *report);
// Whether some nodes are ports (build_ports.c), and which of the deformables of `list` are, as bodies behind the scene's.
bool mb_build_has_ports(const MbSceneSpec *spec);
MbStatus mb_build_ports(const MbSceneSpec *spec, MbModel *model, MbDeformable *list, MbReport *report);
// What holds and pulls their nodes, behind bodies, joints and forces: its signals go behind the model's last.
MbStatus mb_build_elements_hold(const MbSceneSpec *spec, MbModel *model, MbReport *report);

#endif

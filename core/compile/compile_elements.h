// Deformables of elements (core/model/deformable.h), in two parts. Private to core/compile.
#ifndef MB_COMPILE_COMPILE_ELEMENTS_H
#define MB_COMPILE_COMPILE_ELEMENTS_H

#include "core/model/model.h"

// Their meshes, materials and nodes; in place of mb_compile_deformables where nodes are no bodies.
MbStatus mb_compile_elements(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// The same of deformable i alone: its name, its count, its elements; not which its nodes are.
MbStatus mb_compile_shape(const MbDeformableSpec *spec, size_t i, MbModel *model, MbDeformable *to,
                          MbReport *report);
// The mesh of deformable i alone, whose numbers have been checked: made, or of a file and sound (compile_element_mesh.c). Of a rod it also
// fills what is counted.
MbStatus mb_compile_element_mesh(const MbDeformableSpec *spec, size_t i, MbArena *arena, MbElements *to,
                                 MbReport *report);
// So many pins, attachments and points of cables, each of which goes through so many nodes: refuses what would take for ever.
MbStatus mb_compile_check_selections(const MbDeformableSpec *spec, size_t i, size_t nodes, MbReport *report);
// What acts on the surface of deformable i, whose mesh, and where it is at the start, are known (compile_surface_load.c). *surface stays NULL where
// nothing does.
MbStatus mb_compile_surface(const MbDeformableSpec *spec, size_t i, MbModel *model,
                            const MbElements *elements, const MbElementSurface **surface, MbReport *report);
// The fibres of deformable i, whose mesh is known (compile_fibres.c).
MbStatus mb_compile_fibres(const MbDeformableSpec *spec, size_t i, MbModel *model, MbElements *elements,
                           MbReport *report);
// Elements of deformable i as a force between nodes that are bodies; of pairs only what mb_compile_pairs makes them from.
MbStatus mb_compile_element_force(const MbDeformable *of, size_t i, MbModel *model, MbForce *force,
                                  MbReport *report);
// Whether some nodes are ports (compile_ports.c), and which of the deformables of `list` are, as bodies behind the scene's.
bool mb_compile_has_ports(const MbSceneSpec *spec);
MbStatus mb_compile_ports(const MbSceneSpec *spec, MbModel *model, MbDeformable *list, MbReport *report);
// What holds and pulls their nodes, behind bodies, joints and forces: its signals go behind the model's last.
MbStatus mb_compile_elements_hold(const MbSceneSpec *spec, MbModel *model, MbReport *report);

#endif

// All kernels: X(name, type of the arguments). The bodies of those of trees, and of what triangles meet, are where
// backends include them alone (tree_kernels.h, meet_kernels.h). A backend makes one of each; engines name them by MB_RUN_name.
#ifndef MB_GPU_KERNELS_KERNEL_LIST_H
#define MB_GPU_KERNELS_KERNEL_LIST_H

#include "gpu/kernels/away_kernels.h"
#include "gpu/kernels/curved_kernels.h"
#include "gpu/kernels/element_kernels.h"
#include "gpu/kernels/inverse_rows.h"
#include "gpu/kernels/load_kernels.h"
#include "gpu/kernels/near_kernels.h"
#include "gpu/kernels/node_vectors.h"
#include "gpu/kernels/port_vectors.h"
#include "gpu/kernels/sum_jobs.h"
#include "gpu/kernels/touch_newton.h"
#include "gpu/kernels/tree_args.h"

// one thread each
#define MB_LANES_OF(X)                                                                                       \
  X(mb_element_stress, MbElementArgs)                                                                        \
  X(mb_element_local, MbElementArgs)                                                                         \
  X(mb_element_dual, MbElementArgs)                                                                          \
  X(mb_element_damp, MbElementArgs)                                                                          \
  X(mb_element_spring, MbElementArgs)                                                                        \
  X(mb_element_spring_local, MbElementArgs)                                                                  \
  X(mb_element_before, MbElementArgs)                                                                        \
  X(mb_element_turned, MbElementArgs)                                                                        \
  X(mb_element_pull, MbElementArgs)                                                                          \
  X(mb_node_collect, MbElementArgs)                                                                          \
  X(mb_curved_pull, MbCurvedArgs)                                                                            \
  X(mb_curved_collect, MbCurvedArgs)                                                                         \
  X(mb_load_draw, MbLoadArgs)                                                                                \
  X(mb_load_air, MbLoadArgs)                                                                                 \
  X(mb_load_blow, MbLoadArgs)                                                                                \
  X(mb_load_volume, MbLoadArgs)                                                                              \
  X(mb_load_press, MbLoadArgs)                                                                               \
  X(mb_load_cable, MbLoadArgs)                                                                               \
  X(mb_load_collect, MbLoadArgs)                                                                             \
  X(mb_node_ahead, MbNodeArgs)                                                                               \
  X(mb_node_jump, MbNodeArgs)                                                                                \
  X(mb_node_form, MbNodeArgs)                                                                                \
  X(mb_node_form_local, MbNodeArgs)                                                                          \
  X(mb_node_clear, MbNodeArgs)                                                                               \
  X(mb_away_end, MbAwayArgs)                                                                                 \
  X(mb_away_crushed, MbCrushArgs)                                                                            \
  X(mb_numbers_copy, MbCopyArgs)                                                                             \
  X(mb_node_copy, MbNodeArgs)                                                                                \
  X(mb_free_pull, MbNodeArgs)                                                                                \
  X(mb_free_slope, MbNodeArgs)                                                                               \
  X(mb_free_move, MbNodeArgs)                                                                                \
  X(mb_free_advance, MbNodeArgs)                                                                             \
  X(mb_free_left, MbNodeArgs)                                                                                \
  X(mb_free_begin, MbNodeArgs)                                                                               \
  X(mb_pair_change, MbNodeArgs)                                                                              \
  X(mb_pair_note, MbNodeArgs)                                                                                \
  X(mb_pair_bend, MbNodeArgs)                                                                                \
  X(mb_inverse_load, MbInverseArgs)                                                                          \
  X(mb_inverse_join, MbInverseArgs)                                                                          \
  X(mb_inverse_store, MbInverseArgs)                                                                         \
  X(mb_inverse_transposed, MbInverseArgs)                                                                    \
  X(mb_couple_above, MbInverseArgs)                                                                          \
  X(mb_uncouple, MbInverseArgs)                                                                              \
  X(mb_uncouple_end, MbInverseArgs)                                                                          \
  X(mb_single_right, MbInverseArgs)                                                                          \
  X(mb_single_first, MbInverseArgs)                                                                          \
  X(mb_single_left, MbInverseArgs)                                                                           \
  X(mb_single_add, MbInverseArgs)                                                                            \
  X(mb_placed_clear, MbInverseArgs)                                                                          \
  X(mb_placed_put, MbInverseArgs)                                                                            \
  X(mb_placed_subtract, MbInverseArgs)                                                                       \
  X(mb_placed_end, MbInverseArgs)                                                                            \
  X(mb_port_read, MbPortArgs)                                                                                \
  X(mb_port_gather, MbPortArgs)                                                                              \
  X(mb_port_clear, MbPortArgs)                                                                               \
  X(mb_port_one, MbPortArgs)                                                                                 \
  X(mb_port_keep, MbPortArgs)                                                                                \
  X(mb_port_answer, MbPortArgs)                                                                              \
  X(mb_port_answer_solved, MbPortArgs)                                                                       \
  X(mb_port_spread, MbPortArgs)                                                                              \
  X(mb_port_push, MbPortArgs)                                                                                \
  X(mb_port_add, MbPortArgs)                                                                                 \
  X(mb_hit_branch, MbTouchArgs)                                                                              \
  X(mb_hit_between, MbTouchArgs)                                                                             \
  X(mb_hit_push, MbTouchArgs)                                                                                \
  X(mb_hit_own, MbTouchArgs)                                                                                 \
  X(mb_hit_clamp, MbTouchArgs)                                                                               \
  X(mb_hit_trial_rates, MbTouchArgs)                                                                         \
  X(mb_hit_rates, MbTouchArgs)                                                                               \
  X(mb_hit_keep, MbTouchArgs)                                                                                \
  X(mb_hit_take, MbTouchArgs)                                                                                \
  X(mb_hit_accept, MbTouchArgs)                                                                              \
  X(mb_hit_look, MbTouchArgs)                                                                                \
  X(mb_hit_left, MbTouchArgs)                                                                                \
  X(mb_hit_next, MbTouchArgs)                                                                                \
  X(mb_hit_last, MbTouchArgs)                                                                                \
  X(mb_hit_along, MbTouchArgs)                                                                               \
  X(mb_hit_aside, MbTouchArgs)                                                                               \
  X(mb_near_look, MbNearArgs)                                                                                \
  X(mb_near_count, MbNearArgs)                                                                               \
  X(mb_near_sum, MbNearArgs)                                                                                 \
  X(mb_near_list, MbNearArgs)                                                                                \
  X(mb_near_meet, MbNearArgs)                                                                                \
  X(mb_near_mesh, MbNearArgs)                                                                                \
  X(mb_near_some, MbNearArgs)                                                                                \
  X(mb_near_many, MbNearArgs)                                                                                \
  X(mb_near_tell, MbNearArgs)                                                                                \
  X(mb_near_points, MbNearArgs)                                                                              \
  X(mb_tree_steps, MbTreeArgs)                                                                               \
  X(mb_tree_look, MbTreeArgs)

// a warp each
#define MB_WARPS_OF(X)                                                                                       \
  X(mb_inverse_multiply, MbInverseArgs)                                                                      \
  X(mb_couple, MbInverseArgs)                                                                                \
  X(mb_load_chamber, MbLoadArgs)                                                                             \
  X(mb_placed_find, MbInverseArgs)                                                                           \
  X(mb_hit_gather, MbTouchArgs)                                                                              \
  X(mb_hit_product, MbTouchArgs)                                                                             \
  X(mb_hit_natural, MbTouchArgs)                                                                             \
  X(mb_hit_dots, MbTouchArgs)                                                                                \
  X(mb_hit_image, MbTouchArgs)                                                                               \
  X(mb_hit_search, MbTouchArgs)                                                                              \
  X(mb_hit_energy, MbTouchArgs)                                                                              \
  X(mb_sum_chunk, MbSumArgs)                                                                                 \
  X(mb_sum_job, MbSumArgs)

#define MB_RUN_OF(name, args) MB_RUN_##name,
typedef enum MbKernel { MB_LANES_OF(MB_RUN_OF) MB_WARPS_OF(MB_RUN_OF) MB_KERNELS } MbKernel;
#undef MB_RUN_OF

#endif

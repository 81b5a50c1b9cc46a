// What the files share that write a rig as a scene's text: members of JSON, values as people write them, and joints.
#ifndef MB_IO_RIG_SCENE_H
#define MB_IO_RIG_SCENE_H

#include "io/json/json_text.h"
#include "io/models/rig.h"

// Begins a scene: memory has not run out yet (rig_scene_values.c).
void mb_rig_begin_scene(void);
// Tells whether memory has run out since the scene was begun: then nothing of it counts.
bool mb_rig_scene_is_lost(void);

// Puts a member into an object, which owns it from then on; false when memory ran out, and then the value is gone.
bool mb_rig_put(cJSON *to, const char *key, cJSON *value);
// Puts an element behind the others of a list, which owns it from then on.
void mb_rig_push(cJSON *to, cJSON *value);
// Puts a text into an object.
void mb_rig_put_text(cJSON *to, const char *key, const char *text);
// Puts a number into an object.
void mb_rig_put_number(cJSON *to, const char *key, double x);
// Puts an empty object into another, and returns it; NULL when memory ran out.
cJSON *mb_rig_put_object(cJSON *to, const char *key);
// Puts an empty list into an object, and returns it; NULL when memory ran out.
cJSON *mb_rig_put_list(cJSON *to, const char *key);

// Returns a number as it is, but for the sign of 0.
cJSON *mb_rig_say_length(double x);
// Returns the coordinate of a joint: an angle, written in degrees where it is round there, or a length.
cJSON *mb_rig_say_coordinate(double x, bool turns);
// Returns a list of n numbers.
cJSON *mb_rig_say_numbers(const double *x, int n);
// Tells whether all of n numbers are 0.
bool mb_rig_are_zero(const double *x, int n);
// Puts a frame into an object, unless it changes nothing.
void mb_rig_put_frame(cJSON *to, const char *key, const MbRigFrame *f);
// Puts the comment that names the place in the source, and `more` (NULL: nothing) behind it.
void mb_rig_put_comment(cJSON *to, MbXmlPlace at, const char *more);
// Returns what a body is called, which may be MB_RIG_WORLD.
const char *mb_rig_body_name(const MbRig *rig, size_t b);

// Returns the joint that holds a body to its parent, one of parts where it has several (rig_scene_joints.c).
cJSON *mb_rig_say_joint(const MbRig *rig, const MbRigBody *body);
// Puts the pose and the velocity of a body that is free.
void mb_rig_put_free(const MbRigBody *body, cJSON *to);

#endif

// Reading a model in another's format: errors and notes with places, numbers out of attributes, and the table of all elements that says of
// each attribute what becomes of it. Nothing is passed over in silence: what no row of the table knows is an error or a note.
#ifndef MB_IO_DOOR_H
#define MB_IO_DOOR_H

#include "io/models/models.h"
#include "io/models/rig.h"

typedef enum MbDoorHow {
  MB_DOOR_TAKEN,
  MB_DOOR_CONVERTED, // what it becomes is said
  MB_DOOR_LOOKS,     // moves nothing: left out, and summed up
  MB_DOOR_LOST,      // left out, and listed
  MB_DOOR_REFUSED,   // an error
} MbDoorHow;

// What becomes of attributes (names with spaces between, "*" all that no other row has) of an element ("joint", or "equality/joint"
// where its parent decides); without attributes, of the element itself. Of what is LOOKS, LOST or REFUSED as an element, nothing inside
// is looked at.
typedef struct MbDoorRow {
  const char *element, *attributes;
  MbDoorHow how;
  const char *what;
} MbDoorRow;

extern const MbDoorRow mb_urdf_rows[], mb_mjcf_rows[]; // ended by one without element

typedef struct MbDoor {
  MbRig rig;
  const MbDoorRow *rows;
  bool open; // elements that are not known are others' extensions: a note, not an error
  const MbImportOptions *options;
  MbModelNotes *notes;
  MbReport *report;
  MbStatus status; // of the first error
} MbDoor;

// Adds an error, and returns false.
bool mb_door_error(MbDoor *door, MbXmlPlace at, const char *format, ...) MB_PRINTF(3, 4);
bool mb_door_no_memory(MbDoor *door);
// Adds a note: `loss` where the motion may be another for it. Notes of the same text are counted.
void mb_door_note(MbDoor *door, MbXmlPlace at, bool loss, const char *format, ...) MB_PRINTF(4, 5);

// Goes over an element and all in it with the table: errors and notes.
void mb_door_check(MbDoor *door, const MbXmlElement *element);

// Numbers of an attribute, separated by space: between `least` and `most` of them, finite. Returns how many; 0 with an error.
size_t mb_door_numbers(MbDoor *door, const MbXmlAttribute *attribute, double *out, size_t least, size_t most);
// One number, or what there is without the attribute (which may be NULL).
double mb_door_number(MbDoor *door, const MbXmlAttribute *attribute, double absent);
// n numbers where the attribute is given, else `out` stays. False with an error.
bool mb_door_vector(MbDoor *door, const MbXmlAttribute *attribute, double *out, size_t n);
// Red, green, blue and opacity; what is beyond 0 to 1 is taken as the nearest, with a note.
bool mb_door_color(MbDoor *door, const MbXmlAttribute *attribute, double rgba[4]);
bool mb_door_flag(MbDoor *door, const MbXmlAttribute *attribute, bool absent);
// An attribute that must be there and not empty; NULL with an error.
const char *mb_door_name(MbDoor *door, const MbXmlElement *element, const char *name);
// Which of the words (ended by NULL) it is; -1 with an error.
int mb_door_word(MbDoor *door, const MbXmlAttribute *attribute, const char *const *words);
char *mb_door_format(MbDoor *door, const char *format, ...)
    MB_PRINTF(2, 3); // in the rig's arena; "" without memory

// What a mesh is for: one that is only looked at can be left out, and moves nothing by it; of others the motion may be another, or cannot be
// had.
typedef enum MbDoorMesh { MB_DOOR_MESH_SEEN, MB_DOOR_MESH_WEIGHED, MB_DOOR_MESH_COLLIDES } MbDoorMesh;
// A mesh's path as it can be opened from here; NULL with an error where there is no such file. Of a kind that is not read it is left out
// with a note (*left_out), or, where it collides, refused.
const char *mb_door_mesh(MbDoor *door, MbXmlPlace at, const char *folder, const char *file, MbDoorMesh use,
                         bool *left_out);

// The readers: the rig of a tree, false with an error.
bool mb_urdf_read(MbDoor *door, const char *path, const MbXmlElement *root);
bool mb_mjcf_read(MbDoor *door, const char *path, MbXmlElement *root);

// A rig is made fit to be a scene: fixed bodies merged where asked for, bodies without mass, masses of shapes (rig_mass.c).
bool mb_rig_settle(MbDoor *door);
// Friction between two shapes, as MJCF has it: the larger one, none where neither wants any.
double mb_rig_slide(const MbRigShape *a, const MbRigShape *b);
// What collides with what, and with what friction (rig_contact.c).
bool mb_rig_find_contact(MbDoor *door);
// Sorts rig.pair and leaves each two bodies there once.
void mb_rig_order_pairs(MbRig *rig);
// Mass, centre and inertia of a body's shapes, in its frame; false with an error.
bool mb_rig_weigh(MbDoor *door, const MbRigBody *body, double *mass, double center[3], double matrix[6]);
// A shape as a scene has it; a mesh is read into the arena. False with an error.
bool mb_rig_shape_spec(MbDoor *door, const MbRigShape *shape, MbArena *arena, MbShapeSpec *spec);
// The scene's text (free with mb_free); NULL: no memory.
char *mb_rig_scene(MbDoor *door);

#endif

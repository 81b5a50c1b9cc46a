// The resolved scene of all runs as a text with gaps, where nothing but numbers varies: an ID takes no more than to fill them.
#ifndef MB_IO_RUN_FORM_H
#define MB_IO_RUN_FORM_H

#include "io/sweep/run_scene.h"

// NULL: out of memory. A form that cannot be made gives no IDs.
MbRunForm *mb_run_form_create(const MbRunScenes *scenes);
// False where it cannot tell; then mb_run_scene does.
bool mb_run_form_id(MbRunForm *form, const MbDesign *design, uint64_t run, char id[MB_RUN_ID]);
void mb_run_form_free(MbRunForm *form);

// The resolved scene with some overrides, as text (mb_free it); meshes' files as they stand. In run_scene.c.
MbStatus mb_run_resolved(const MbRunScenes *scenes, const MbSceneOptions *options, char **text,
                         MbReport *report);

// The same with meshes' files named from the root, so that the text may stand in any folder.
MbStatus mb_run_rooted(MbRunScenes *scenes, const MbSceneOptions *options, char **text, MbReport *report);

#endif

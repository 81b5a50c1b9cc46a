// glTF 2.0 in one binary file: bodies as nodes with keys of translation and rotation, deformables as morph targets.
#include "io/export/glb.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <string.h>

static void put32(MbExporter *e, uint32_t x) {
  const unsigned char bytes[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                  (unsigned char)(x >> 24)};
  mb_put(e, bytes, sizeof bytes);
}

static MbStatus put_chunks(MbExporter *e, const MbGlb *g, MbText *json) {
  while (!json->failed && json->length % 4) mb_text_add(json, " ");
  uint64_t binary = 0;
  for (int p = 0; p < MB_GLB_PARTS; p++) binary += g->size[p];
  if (json->failed) return mb_no_memory(e->report, "the export");
  const uint64_t total = 12 + 8 + json->length + (binary ? 8 + binary : 0);
  if (total > UINT32_MAX)
    return mb_error(
        e->report, MB_USAGE, "",
        "the glb file would have %.1f GB, and its format ends at 4.3: export fewer frames (--frames), or "
        "fewer targets (--max-targets)",
        (double)total / 1e9);
  mb_put(e, "glTF", 4);
  put32(e, 2);
  put32(e, (uint32_t)total);
  put32(e, (uint32_t)json->length);
  mb_put(e, "JSON", 4);
  mb_put(e, json->text, json->length);
  if (!binary) return MB_OK;
  put32(e, (uint32_t)binary);
  mb_put(e, "BIN", 4); // and a 0
  return mb_glb_put(g);
}

MbStatus mb_export_glb(MbExporter *e, size_t most_targets) {
  MbGlb g = {0};
  MbText json = {0};
  MbStatus status = mb_glb_plan(e, most_targets, &g);
  if (!status) {
    mb_glb_describe(&g, &json);
    status = put_chunks(e, &g, &json);
  }
  if (!status && g.ndeformables && g.nkept < g.nframes)
    mb_warning(e->report, "", "deformables are shown in %zu of the %zu frames, evenly chosen (--max-targets)",
               g.nkept, g.nframes);
  mb_free(mb_text_take(&json));
  mb_glb_free(&g);
  return status;
}

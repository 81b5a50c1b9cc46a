// The processor's own engine, and what the library tells of any.
#include "core/solvers/engine.h"
#include "core/solvers/solvers.h"
#include "core/solvers/watched.h"

static const char *text(bool *available) {
  *available = true;
  return "this machine's processor";
}

static const char *refuses(const MbModel *model) {
  (void)model;
  return NULL;
}

const MbEngine mb_cpu_engine = {.name = "cpu", .text = text, .refuses = refuses, .solver = mb_solver_for};
const MbEngine mb_watched_engine = {
    .name = "cpu", .text = text, .refuses = refuses, .solver = mb_watched_solver};

const MbEngine *mb_engine_cpu(void) { return &mb_cpu_engine; }

const char *mb_engine_name(const MbEngine *engine) { return engine->name; }

const char *mb_engine_text(const MbEngine *engine, bool *available) {
  bool there = false;
  const char *phrase = engine->text(&there);
  if (available) *available = there;
  return phrase;
}

const char *mb_engine_refuses(const MbEngine *engine, const MbModel *model) { return engine->refuses(model); }

MbStatus mb_engine_memory(const MbEngine *engine, const MbModel *model, size_t *bytes, MbReport *report) {
  *bytes = 0;
  return engine->memory ? engine->memory(model, bytes, report) : MB_OK;
}

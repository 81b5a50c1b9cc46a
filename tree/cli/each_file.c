#include "cli/each_file.h"
#include "cli/console.h"

#include <string.h>

// `file` and `status` first, then what the answer has itself.
static cJSON *label(cJSON *answer, const char *path, MbStatus status) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "file", path);
  cJSON_AddNumberToObject(item, "status", status);
  for (cJSON *member; answer && (member = answer->child);) {
    cJSON_DetachItemViaPointer(answer, member);
    if (cJSON_HasObjectItem(item, member->string))
      cJSON_Delete(member);
    else
      cJSON_AddItemToObject(item, member->string, member);
  }
  cJSON_Delete(answer);
  return item;
}

static void head(const char *path, bool first) {
  char text[1024];
  printf("%s%s:\n", first ? "" : "\n", mb_console_safe(path, text, sizeof text));
  fflush(stdout); // before what is said on stderr
}

MbStatus mb_each_file(const MbArgs *args, MbFileWork work) {
  const bool json = mb_arg_given(args, "json"), several = args->noperands > 1;
  cJSON *list = json && several ? cJSON_CreateArray() : NULL;
  MbStatus worst = MB_OK;
  for (size_t i = 0; i < args->noperands; i++) {
    const char *path = args->operands[i];
    cJSON *answer = NULL;
    if (several && !json) head(path, i == 0);
    const MbStatus status = work(args, path, &answer);
    if (status > worst) worst = status;
    if (!json) continue;
    if (several)
      cJSON_AddItemToArray(list, label(answer, path, status));
    else if (mb_console_json(answer) && !status)
      worst = MB_IO;
  }
  if (json && several && mb_console_json(list) && !worst) worst = MB_IO;
  return worst;
}

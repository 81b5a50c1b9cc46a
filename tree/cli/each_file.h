// Commands that do the same with every file they are given.
#ifndef MB_CLI_EACH_FILE_H
#define MB_CLI_EACH_FILE_H

#include "cli/options.h"
#include <cjson/cJSON.h>

// What is done with one: prints for people, or with --json makes *answer, which the caller frees; NULL: memory ran out. Messages
// go to stderr.
typedef MbStatus (*MbFileWork)(const MbArgs *args, const char *path, cJSON **answer);

// Every operand in turn, each under its name where there are several; the worst status of all. With --json the answer of one
// file is its own, that of several a list, in which each has its "file" and "status".
MbStatus mb_each_file(const MbArgs *args, MbFileWork work);

#endif

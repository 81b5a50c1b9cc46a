// `mbsim bench contact FILE...`: the methods of contact on problems from files.
#ifndef MB_CLI_BENCH_CONTACT_H
#define MB_CLI_BENCH_CONTACT_H

#include "cli/options.h"

extern const char *const mb_function_words[]; // in the order of MbContactFunction

MbStatus mb_bench_contact(const MbArgs *args);

#endif

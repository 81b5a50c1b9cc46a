// Words and numbers of text mesh files.
#include "io/mesh/mesh_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void mb_scanner_start(MbScanner *scanner, const MbMeshFile *file) {
  *scanner = (MbScanner){.at = file->data, .end = file->data + file->size, .line = 1};
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The word at `at`, which is neither blank nor the end.
static MbToken take_word(MbScanner *s) {
  MbToken token = {.text = s->at, .line = s->line};
  while (s->at < s->end && !is_blank(*s->at) && *s->at != '\n') s->at++;
  const ptrdiff_t length = s->at - token.text;
  token.length = length > 1 << 30 ? 1 << 30 : (int)length;
  return token;
}

MbToken mb_scan_word(MbScanner *s) {
  while (s->at < s->end && (is_blank(*s->at) || *s->at == '\n')) s->line += *s->at++ == '\n';
  return s->at < s->end ? take_word(s) : (MbToken){.line = s->line};
}

MbToken mb_scan_word_of_line(MbScanner *s) {
  while (s->at < s->end && is_blank(*s->at)) s->at++;
  return s->at < s->end && *s->at != '\n' ? take_word(s) : (MbToken){.line = s->line};
}

void mb_scan_line_end(MbScanner *s) {
  const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
  s->line += newline != NULL;
  s->at = newline ? newline + 1 : s->end;
}

bool mb_token_is(const MbToken *token, const char *word) {
  const size_t n = strlen(word);
  return token->text && (size_t)token->length == n && strncasecmp(token->text, word, n) == 0;
}

bool mb_token_number(const MbToken *token, double *x) {
  // only these letters, so that no hexadecimal number, "inf" or "nan" comes through; none of them is white
  // space, so that the conversion stops at the token's end at the latest
  if (!token->text || strspn(token->text, "0123456789+-.eE") < (size_t)token->length) return false;
  char *end = NULL;
  *x = strtod(token->text, &end);
  return end == token->text + token->length && isfinite(*x);
}

const char *mb_mesh_found(const MbMeshFile *file, const MbToken *token, char text[MB_FOUND]) {
  if (!token->text)
    snprintf(text, MB_FOUND, "nothing");
  else if (!file->known)
    snprintf(text, MB_FOUND, "something else");
  else
    snprintf(text, MB_FOUND, "\"%.*s\"", token->length > 40 ? 40 : token->length, token->text);
  return text;
}

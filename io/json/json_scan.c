// Tokens of a JSON text by one walk over its bytes. What is wrong stops it, with the place and what was wanted.
#include "io/json/json_scan.h"

#include <math.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What may come next.
enum { VALUE, FIRST_VALUE_OR_END, FIRST_KEY_OR_END, KEY, COLON, AFTER_VALUE };

enum { NUMBER_LONGEST = 63 }; // characters that cJSON reads of a number

void mb_json_scan_begin(MbJsonScan *scan, const char *text, size_t length) {
  *scan = (MbJsonScan){.text = text, .length = length, .line = 1, .state = VALUE};
  // a byte order mark is no part of the text
  if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) scan->at = scan->line_start = 3;
}

int mb_json_scan_column(const MbJsonScan *scan, size_t offset) {
  int column = 1;
  for (size_t i = scan->line_start; i < offset && i < scan->length; i++)
    column += ((unsigned char)scan->text[i] & 0xC0) != 0x80;
  return column;
}

static MbJsonToken wrong(MbJsonScan *s, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(s->what, sizeof s->what, format, args);
  va_end(args);
  s->wrong = at;
  return MB_JSON_WRONG;
}

static int peek(const MbJsonScan *s) { return s->at < s->length ? (unsigned char)s->text[s->at] : -1; }

static void skip_space(MbJsonScan *s) {
  for (; s->at < s->length; s->at++) {
    const char c = s->text[s->at];
    if (c == '\n') {
      s->line++;
      s->line_start = s->at + 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

// Length of the UTF-8 sequence at `p` (n bytes left), 0 when it is none: overlong forms, surrogates and code
// points above U+10FFFF are refused.
static size_t utf8_length(const unsigned char *p, size_t n) {
  if (p[0] < 0x80) return 1;
  if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
  const size_t k = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
  if (n < k) return 0;
  for (size_t i = 1; i < k; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  if (p[0] == 0xE0 && p[1] < 0xA0) return 0;
  if (p[0] == 0xED && p[1] > 0x9F) return 0;
  if (p[0] == 0xF0 && p[1] < 0x90) return 0;
  if (p[0] == 0xF4 && p[1] > 0x8F) return 0;
  return k;
}

// Four hexadecimal digits, or -1.
static long hex4(const char *text, size_t length, size_t at) {
  if (length < 4 || at > length - 4) return -1;
  long value = 0;
  for (size_t i = at; i < at + 4; i++) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static bool is_high(long code) { return code >= 0xD800 && code < 0xDC00; }
static bool is_low(long code) { return code >= 0xDC00 && code < 0xE000; }

// Checks the escape sequence that begins at scan->at (a backslash) and steps over it.
static MbJsonToken escape(MbJsonScan *s) {
  const size_t begin = s->at;
  const int c = begin + 1 < s->length ? (unsigned char)s->text[begin + 1] : -1;
  if (c >= 0 && strchr("\"\\/bfnrt", c) && c) {
    s->at += 2;
    return MB_JSON_STRING;
  }
  if (c != 'u')
    return wrong(s, begin, "a backslash in a text must be followed by one of \" \\ / b f n r t u");
  const long code = hex4(s->text, s->length, begin + 2);
  if (code < 0) return wrong(s, begin, "\\u must be followed by four hexadecimal digits");
  if (code == 0) return wrong(s, begin, "\\u0000 cannot stand in a text");
  if (is_low(code)) return wrong(s, begin, "the second half of a surrogate pair without its first half");
  s->at += 6;
  if (is_high(code)) {
    const bool pair = s->at + 1 < s->length && s->text[s->at] == '\\' && s->text[s->at + 1] == 'u';
    if (!pair || !is_low(hex4(s->text, s->length, s->at + 2)))
      return wrong(s, begin, "the first half of a surrogate pair without its second half");
    s->at += 6;
  }
  return MB_JSON_STRING;
}

// Steps over a text; scan->at is its opening quote.
static MbJsonToken string(MbJsonScan *s) {
  const size_t begin = s->at++;
  for (;;) {
    const int c = peek(s);
    if (c < 0) return wrong(s, begin, "a text that is never closed: a \" is missing");
    if (c == '"') break;
    if (c == '\\') {
      if (escape(s) == MB_JSON_WRONG) return MB_JSON_WRONG;
    } else if (c == '\n' || c == '\r') {
      return wrong(s, begin,
                   "a text that is not closed on its line: a \" is missing (a line break inside is \\n)");
    } else if (c < 0x20) {
      return wrong(s, s->at, "a control character (byte %d) in a text; write it as \\u%04x", c, (unsigned)c);
    } else {
      const size_t k = utf8_length((const unsigned char *)s->text + s->at, s->length - s->at);
      if (!k) return wrong(s, s->at, "a byte that is not UTF-8 (0x%02x)", (unsigned)c);
      s->at += k;
    }
  }
  s->at++;
  return MB_JSON_STRING;
}

static size_t digits(MbJsonScan *s) {
  const size_t begin = s->at;
  while (peek(s) >= '0' && peek(s) <= '9') s->at++;
  return s->at - begin;
}

static bool is_word(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

// Steps over a number, and refuses what strtod would overflow on.
static MbJsonToken number(MbJsonScan *s) {
  const size_t begin = s->at;
  if (peek(s) == '-') s->at++;
  if (peek(s) == 'I' || peek(s) == 'i') return wrong(s, begin, "infinity is not a JSON number");
  const bool zero = peek(s) == '0';
  const size_t whole = digits(s);
  if (!whole) return wrong(s, begin, "a number needs a digit after its minus sign");
  if (zero && whole > 1) return wrong(s, begin, "a number with leading zeros");
  if (peek(s) == '.') {
    s->at++;
    if (!digits(s)) return wrong(s, begin, "a number needs a digit after its decimal point");
  }
  const bool exponent = peek(s) == 'e' || peek(s) == 'E';
  if (exponent) {
    s->at++;
    if (peek(s) == '+' || peek(s) == '-') s->at++;
    if (!digits(s)) return wrong(s, begin, "a number needs a digit in its exponent");
  }
  if (is_word(peek(s)))
    return wrong(s, begin, "a number with letters in it (an expression stands in quotes: \"=2*pi\")");

  const size_t n = s->at - begin;
  if (n > NUMBER_LONGEST) return wrong(s, begin, "a number of more than %d characters", NUMBER_LONGEST);
  if (!exponent) return MB_JSON_NUMBER; // as many digits do not overflow
  char copy[NUMBER_LONGEST + 1] = {0};
  memcpy(copy, s->text + begin, n);
  char *const point = strchr(copy, '.');
  if (point) *point = localeconv()->decimal_point[0];
  if (!isfinite(strtod(copy, NULL))) return wrong(s, begin, "a number too large for double precision");
  return MB_JSON_NUMBER;
}

// Says what is wrong where a value should be.
static MbJsonToken no_value(MbJsonScan *s) {
  const int c = peek(s);
  if (c < 0) return wrong(s, s->at, "the text ends too early: a value is missing");
  if (c == '/' || c == '#')
    return wrong(s, s->at, "JSON has no comments: use a key that begins with _, as \"_note\"");
  if (c == ',') return wrong(s, s->at, "a comma where a value should be");
  if (c == ']' || c == '}')
    return wrong(s, s->at, "a value is missing before \"%c\" (is there a comma too many?)", c);
  if (c == '\'') return wrong(s, s->at, "texts stand in double quotes");
  if (c == '+' || c == '.') return wrong(s, s->at, "a number begins with a digit or a minus sign");
  if (!is_word(c)) {
    if (c >= 0x20 && c < 0x7F) return wrong(s, s->at, "\"%c\" where a value should be", c);
    return wrong(s, s->at, "a byte (0x%02x) where a value should be", (unsigned)c);
  }
  size_t n = 0;
  while (s->at + n < s->length && n < 30 && is_word((unsigned char)s->text[s->at + n])) n++;
  const char *const word = s->text + s->at;
  if ((n == 3 && !strncasecmp(word, "nan", 3)) || (n >= 3 && !strncasecmp(word, "inf", 3)))
    return wrong(s, s->at, "\"%.*s\" is not a JSON number", (int)n, word);
  return wrong(s, s->at, "\"%.*s\" is no JSON value (texts and expressions stand in double quotes)", (int)n,
               word);
}

static MbJsonToken word(MbJsonScan *s) {
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < 3; i++) {
    const size_t n = strlen(words[i]);
    if (s->length - s->at >= n && !memcmp(s->text + s->at, words[i], n)) {
      if (s->at + n < s->length && is_word((unsigned char)s->text[s->at + n])) break;
      s->at += n;
      return MB_JSON_WORD;
    }
  }
  return no_value(s);
}

static MbJsonToken open_level(MbJsonScan *s, bool object) {
  if (s->depth == MB_JSON_DEPTH) return wrong(s, s->at, "nesting deeper than %d levels", MB_JSON_DEPTH);
  s->at++;
  s->level[s->depth++] = (MbJsonLevel){.object = object};
  s->state = object ? FIRST_KEY_OR_END : FIRST_VALUE_OR_END;
  return object ? MB_JSON_OBJECT : MB_JSON_ARRAY;
}

static MbJsonToken close_level(MbJsonScan *s) {
  s->at++;
  s->state = AFTER_VALUE;
  return s->level[--s->depth].object ? MB_JSON_OBJECT_END : MB_JSON_ARRAY_END;
}

static MbJsonToken value(MbJsonScan *s) {
  const int c = peek(s);
  if (c == '{' || c == '[') return open_level(s, c == '{');
  s->state = AFTER_VALUE;
  if (c == '"') return string(s);
  if (c == '-' || (c >= '0' && c <= '9')) return number(s);
  return word(s);
}

// A member's key.
static MbJsonToken key(MbJsonScan *s) {
  const int c = peek(s);
  if (c == '/' || c == '#') return no_value(s);
  if (c == '}') return wrong(s, s->at, "a comma too many before \"}\"");
  if (c < 0) return wrong(s, s->at, "the text ends inside an object: a \"}\" is missing");
  if (c != '"') return wrong(s, s->at, "a key in double quotes is missing");
  const size_t begin = s->at;
  if (string(s) == MB_JSON_WRONG) return MB_JSON_WRONG;
  MbJsonLevel *const level = &s->level[s->depth - 1];
  level->key = begin + 1;
  level->key_length = s->at - begin - 2;
  s->state = COLON;
  return MB_JSON_KEY;
}

static MbJsonToken colon(MbJsonScan *s) {
  if (peek(s) != ':') return wrong(s, s->at, "a \":\" is missing after the key");
  s->at++;
  s->state = VALUE;
  return mb_json_scan_next(s);
}

// After a value: the next one, the end of what is open, or the end of the text.
static MbJsonToken after_value(MbJsonScan *s) {
  const int c = peek(s);
  if (c == '/' || c == '#') return no_value(s);
  if (!s->depth)
    return c < 0 ? MB_JSON_END : wrong(s, s->at, "there is more text after the end of the JSON value");
  MbJsonLevel *const level = &s->level[s->depth - 1];
  const char end = level->object ? '}' : ']';
  if (c == end) return close_level(s);
  if (c < 0) return wrong(s, s->at, "the text ends too early: a \"%c\" is missing", end);
  if (c != ',') return wrong(s, s->at, "a \",\" or \"%c\" is missing here", end);
  s->at++;
  level->index++;
  s->state = level->object ? KEY : VALUE;
  return mb_json_scan_next(s);
}

MbJsonToken mb_json_scan_next(MbJsonScan *s) {
  skip_space(s);
  s->start = s->at;
  switch (s->state) {
  case FIRST_KEY_OR_END:
    return peek(s) == '}' ? close_level(s) : key(s);
  case FIRST_VALUE_OR_END:
    return peek(s) == ']' ? close_level(s) : value(s);
  case KEY:
    return key(s);
  case COLON:
    return colon(s);
  case AFTER_VALUE:
    return after_value(s);
  default:
    return value(s);
  }
}

size_t mb_json_unescape(const char *text, size_t length, size_t *at, char out[4]) {
  if (text[*at] != '\\' || *at + 1 >= length) {
    out[0] = text[(*at)++];
    return 1;
  }
  const char c = text[*at + 1];
  *at += 2;
  if (c != 'u') {
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *const found = strchr(from, c);
    out[0] = found ? to[found - from] : c;
    return 1;
  }
  long code = hex4(text, length, *at);
  *at += 4;
  if (is_high(code) && *at + 1 < length && text[*at] == '\\') {
    const long low = hex4(text, length, *at + 2);
    if (is_low(low)) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      *at += 6;
    }
  }
  if (code < 0 || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) return out[0] = (char)code, 1;
  if (code < 0x800) return out[0] = (char)(0xC0 | code >> 6), out[1] = (char)(0x80 | (code & 63)), 2;
  if (code < 0x10000) {
    out[0] = (char)(0xE0 | code >> 12), out[1] = (char)(0x80 | (code >> 6 & 63)),
    out[2] = (char)(0x80 | (code & 63));
    return 3;
  }
  out[0] = (char)(0xF0 | code >> 18), out[1] = (char)(0x80 | (code >> 12 & 63));
  out[2] = (char)(0x80 | (code >> 6 & 63)), out[3] = (char)(0x80 | (code & 63));
  return 4;
}

void mb_json_scan_pointer(const MbJsonScan *s, char *out, size_t size) {
  size_t n = 0;
  out[0] = 0;
  for (size_t d = 0; d < s->depth && n + 8 < size; d++) {
    const MbJsonLevel *const level = &s->level[d];
    if (!level->object) {
      n += (size_t)snprintf(out + n, size - n, "/%zu", level->index);
      if (n >= size) n = size - 1;
      continue;
    }
    out[n++] = '/';
    for (size_t at = level->key; at < level->key + level->key_length && n + 8 < size;) {
      char bytes[4];
      const size_t k = mb_json_unescape(s->text, level->key + level->key_length, &at, bytes);
      if (k == 1 && (bytes[0] == '~' || bytes[0] == '/')) {
        out[n++] = '~';
        out[n++] = bytes[0] == '~' ? '0' : '1';
      } else {
        memcpy(out + n, bytes, k);
        n += k;
      }
    }
    out[n] = 0;
  }
}

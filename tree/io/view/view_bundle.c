// The page, as tools/viewer makes it, within the program. It is empty where there was no node to make it with.
#include "io/view/view_bundle.h"

// The build names the file. Assemblers and linkers of every ELF system know these directives.
__asm__(".section .rodata\n"
        ".global mb_view_bundle_begin\n"
        ".global mb_view_bundle_end\n"
        "mb_view_bundle_begin:\n"
        ".incbin \"" MB_VIEW_BUNDLE "\"\n"
        "mb_view_bundle_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const char mb_view_bundle_begin[], mb_view_bundle_end[];

const char *mb_view_bundle(size_t *size) {
  *size = (size_t)(mb_view_bundle_end - mb_view_bundle_begin);
  return mb_view_bundle_begin;
}

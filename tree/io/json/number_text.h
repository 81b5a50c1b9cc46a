// Numbers as text that reads back to the same double.
#ifndef MB_IO_JSON_NUMBER_TEXT_H
#define MB_IO_JSON_NUMBER_TEXT_H

enum { MB_NUMBER_TEXT = 32 }; // characters that are enough

// As few digits as read back to the same bits, "." for the point whatever the locale; "nan", "inf", "-inf".
const char *mb_number_text(double x, char text[MB_NUMBER_TEXT]);

#endif

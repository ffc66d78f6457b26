// Bytes of a process as a JSON string: always valid UTF-8, whatever the process wrote.
#include "shim.h"
#include <string.h>

// Length of the character that starts here; 0: not a valid one; -1: more bytes are needed to know.
static int character(const unsigned char *at, size_t left) {
  unsigned char first = at[0];
  if (first < 0x80) return 1;
  int length = first >= 0xc2 && first <= 0xdf ? 2 : (first & 0xf0) == 0xe0 ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length == 0) return 0;
  unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (int i = 1; i < length; i++) {
    if ((size_t)i == left) return -1;
    if (at[i] < (i == 1 ? low : 0x80) || at[i] > (i == 1 ? high : 0xbf)) return 0;
  }
  return length;
}

static size_t escape_ascii(char *out, unsigned char byte) {
  static const char digits[] = "0123456789abcdef";
  char letter = 0;
  if (byte == '"' || byte == '\\') letter = (char)byte;
  else if (byte == '\n') letter = 'n';
  else if (byte == '\r') letter = 'r';
  else if (byte == '\t') letter = 't';
  if (letter != 0) {
    out[0] = '\\';
    out[1] = letter;
    return 2;
  }
  if (byte >= 0x20 && byte != 0x7f) {
    out[0] = (char)byte;
    return 1;
  }
  memcpy(out, "\\u00", 4);
  out[4] = digits[byte >> 4];
  out[5] = digits[byte & 15];
  return 6;
}

size_t json_escape(char *out, const unsigned char *bytes, size_t length) {
  size_t written = 0;
  for (size_t at = 0; at < length;) {
    int size = character(bytes + at, length - at);
    if (size == 1) {
      written += escape_ascii(out + written, bytes[at++]);
    } else if (size > 1) {
      memcpy(out + written, bytes + at, (size_t)size);
      written += (size_t)size;
      at += (size_t)size;
    } else {
      memcpy(out + written, "\\ufffd", 6);
      written += 6;
      at++;
    }
  }
  return written;
}

// How many bytes can be cut off without cutting a character in two.
size_t whole_characters(const unsigned char *bytes, size_t length) {
  for (size_t back = 1; back <= 3 && back < length; back++) {
    if ((bytes[length - back] & 0xc0) == 0x80) continue;
    return character(bytes + length - back, back) == -1 ? length - back : length;
  }
  return length;
}

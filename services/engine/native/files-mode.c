// Modes as people write them for chmod: `0644`, `u=rwX,go=rX`, `a+x,o-w`.
#include "files.h"

#include <stdlib.h>
#include <string.h>

#define ALL_BITS 0777
#define RUN_BITS 0111

// `r` of everybody, and so on. `X`: of folders, and of what somebody may run already.
static mode_t bits_of(char letter, mode_t mode, bool is_folder) {
  switch (letter) {
    case 'r': return 0444;
    case 'w': return 0222;
    case 'x': return RUN_BITS;
    case 'X': return is_folder || (mode & RUN_BITS) != 0 ? RUN_BITS : 0;
    case 's': return S_ISUID | S_ISGID;
    case 't': return S_ISVTX;
    case 'u': return ((mode >> 6) & 7) * RUN_BITS;
    case 'g': return ((mode >> 3) & 7) * RUN_BITS;
    case 'o': return (mode & 7) * RUN_BITS;
    default: fail("invalid", "invalid letter in a mode: %c", letter);
  }
}

static mode_t whose(const char **at) {
  mode_t mask = 0;
  for (;; ++*at) {
    if (**at == 'u') mask |= 0700 | S_ISUID;
    else if (**at == 'g') mask |= 0070 | S_ISGID;
    else if (**at == 'o') mask |= 0007;
    else if (**at == 'a') mask |= ALL_BITS | S_ISUID | S_ISGID | S_ISVTX;
    else break;
  }
  return mask == 0 ? ALL_BITS | S_ISUID | S_ISGID | S_ISVTX : mask;
}

mode_t changed_mode(const char *text, mode_t before) {
  if (*text >= '0' && *text <= '7') return (mode_t)strtoul(text, NULL, 8) & 07777;
  bool is_folder = S_ISDIR(before);
  mode_t mode = before & 07777;
  for (const char *at = text; *at != '\0';) {
    mode_t mask = whose(&at);
    while (*at == '=' || *at == '+' || *at == '-') {
      char operation = *at++;
      mode_t bits = 0;
      while (*at != '\0' && strchr(",=+-", *at) == NULL) bits |= bits_of(*at++, mode, is_folder);
      bits &= mask | S_ISVTX;
      if (operation == '+') mode |= bits;
      else if (operation == '-') mode &= ~bits;
      // A folder keeps its special bits, as chmod has it.
      else mode = (mode & ~(is_folder ? mask & ALL_BITS : mask)) | bits;
    }
    if (*at == ',') at++;
    else if (*at != '\0') fail("invalid", "invalid mode: %s", text);
  }
  return mode;
}

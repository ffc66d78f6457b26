// Older files of a log as gzip.
#define _GNU_SOURCE
#include "shim.h"
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK_BYTES = 32 * 1024 };

// Stops between two blocks: who waits for it waits for no file.
static bool pack(int from, gzFile to, const atomic_bool *stopping) {
  char block[BLOCK_BYTES];
  ssize_t size;
  while ((size = read(from, block, sizeof block)) > 0) {
    if (*stopping || gzwrite(to, block, (unsigned)size) != size) return false;
  }
  return size == 0;
}

int gzip_file(int from, int to, const atomic_bool *stopping) {
  int own = fcntl(to, F_DUPFD_CLOEXEC, 0); // goes with what it is given to
  gzFile packed = own < 0 ? NULL : gzdopen(own, "wb");
  if (packed == NULL) {
    if (own >= 0) close(own);
    return -1;
  }
  bool ok = pack(from, packed, stopping);
  return gzclose(packed) == Z_OK && ok ? 0 : -1;
}

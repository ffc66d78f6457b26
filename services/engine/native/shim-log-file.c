// The file of a log, rotated by size. Only one thread at a time works with it.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUT_BYTES = RECORD_BYTES + 32 * 1024 };

static char out[OUT_BYTES];
static size_t out_length;
static int file = -1;
static off_t file_size;

// What a crash left of a line is cut off, so that every line of the log can be read.
static void cut_torn_line(void) {
  char tail[4096];
  while (file_size > 0) {
    size_t want = file_size < (off_t)sizeof tail ? (size_t)file_size : sizeof tail;
    if (pread(file, tail, want, file_size - (off_t)want) != (ssize_t)want) return;
    char *newline = memrchr(tail, '\n', want);
    file_size = newline == NULL ? file_size - (off_t)want : file_size - (off_t)want + (newline - tail) + 1;
    if (newline != NULL) break;
  }
  if (ftruncate(file, file_size) < 0) return;
}

int log_file_open(void) {
  file = open(config.log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (file < 0) return -1;
  struct stat status;
  if (fstat(file, &status) < 0) return -1;
  file_size = status.st_size;
  cut_torn_line();
  if (config.log_compress) log_compress();
  return 0;
}

static void rotate(void) {
  close(file);
  log_shift_files();
  file = open(config.log, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0640);
  file_size = 0;
  if (config.log_compress) log_compress();
}

// A full disk must not stop the container: what does not fit is left out, and no half line stays.
void log_file_flush(void) {
  size_t done = 0;
  while (file >= 0 && done < out_length) {
    ssize_t n = write(file, out + done, out_length - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += (size_t)n;
  }
  if (done == out_length) file_size += (off_t)done;
  else if (file >= 0 && ftruncate(file, file_size) < 0) file_size += (off_t)done;
  out_length = 0;
}

void log_file_append(const char *record, size_t size) {
  off_t before = file_size + (off_t)out_length;
  if (config.log_bytes > 0 && before > 0 && before + (off_t)size > config.log_bytes) {
    log_file_flush();
    rotate();
  }
  if (OUT_BYTES - out_length < size) log_file_flush();
  memcpy(out + out_length, record, size);
  out_length += size;
}

void log_file_close(void) {
  log_file_flush();
  log_compress_close();
  if (file >= 0) close(file);
  file = -1;
}

bool log_file_mark(uint64_t *inode, int64_t *offset) {
  log_file_flush();
  struct stat status;
  if (file < 0 || fstat(file, &status) < 0) return false;
  *inode = status.st_ino;
  *offset = file_size;
  return true;
}

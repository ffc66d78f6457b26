// The log of a container: one JSON object a line, {"log","stream","time"}, rotated by size.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD_BYTES = LINE_BYTES * 6 + 128, OUT_BYTES = RECORD_BYTES + 32 * 1024 };

static struct {
  unsigned char bytes[LINE_BYTES];
  size_t length;
} lines[3];
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

int open_log(void) {
  if (config.log == NULL) return 0;
  file = open(config.log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (file < 0) return -1;
  struct stat status;
  if (fstat(file, &status) < 0) return -1;
  file_size = status.st_size;
  cut_torn_line();
  return 0;
}

static void rotate(void) {
  char from[4200], to[4200];
  close(file);
  for (int i = config.log_files - 1; i >= 1; i--) {
    snprintf(to, sizeof to, "%s.%d", config.log, i);
    if (i == 1) snprintf(from, sizeof from, "%s", config.log);
    else snprintf(from, sizeof from, "%s.%d", config.log, i - 1);
    rename(from, to);
  }
  file = open(config.log, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0640);
  file_size = 0;
}

// A full disk must not stop the container: what does not fit is left out, and no half line stays.
void log_flush(void) {
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

static void emit(enum stream stream, const unsigned char *bytes, size_t length) {
  if (OUT_BYTES - out_length < RECORD_BYTES) log_flush();
  char time[40];
  format_time(time);
  char *at = out + out_length;
  memcpy(at, "{\"log\":\"", 8);
  size_t size = 8 + json_escape(at + 8, bytes, length);
  const char *name = stream == STDERR ? "stderr" : "stdout";
  size += (size_t)snprintf(at + size, 100, "\",\"stream\":\"%s\",\"time\":\"%s\"}\n", name, time);
  off_t before = file_size + (off_t)out_length;
  if (config.log_bytes > 0 && before > 0 && before + (off_t)size > config.log_bytes) {
    log_flush();
    rotate();
    memmove(out, at, size);
  }
  out_length += size;
}

static void emit_line(enum stream stream, size_t length) {
  emit(stream, lines[stream].bytes, length);
  lines[stream].length -= length;
  memmove(lines[stream].bytes, lines[stream].bytes + length, lines[stream].length);
}

void log_write(enum stream stream, const char *bytes, size_t length) {
  if (config.log == NULL) return;
  while (length > 0) {
    size_t room = LINE_BYTES - lines[stream].length;
    size_t take = length < room ? length : room;
    const char *newline = memchr(bytes, '\n', take);
    if (newline != NULL) take = (size_t)(newline - bytes) + 1;
    memcpy(lines[stream].bytes + lines[stream].length, bytes, take);
    lines[stream].length += take;
    bytes += take;
    length -= take;
    if (newline != NULL) emit_line(stream, lines[stream].length);
    else if (lines[stream].length == LINE_BYTES) emit_line(stream, whole_characters(lines[stream].bytes, LINE_BYTES));
  }
}

void close_log(void) {
  for (int stream = STDOUT; stream <= STDERR; stream++)
    if (lines[stream].length > 0) emit_line((enum stream)stream, lines[stream].length);
  log_flush();
  if (file >= 0) close(file);
  file = -1;
}

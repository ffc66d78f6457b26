// The log of a container: one JSON object a line, {"log","stream","time"}. Here lines become records; the file takes
// them at once, or by a thread of its own when the container must never wait for its log.
#define _GNU_SOURCE
#include "shim.h"
#include <stdio.h>
#include <string.h>

static struct {
  unsigned char bytes[LINE_BYTES];
  size_t length;
} lines[3];

int open_log(void) {
  if (config.log == NULL) return 0;
  if (log_file_open() < 0) return -1;
  return config.log_buffer > 0 ? log_queue_open() : 0;
}

void log_flush(void) {
  if (config.log != NULL && config.log_buffer == 0) log_file_flush();
}

static void emit(enum stream stream, const unsigned char *bytes, size_t length) {
  static char record[RECORD_BYTES];
  char time[40];
  format_time(time);
  memcpy(record, "{\"log\":\"", 8);
  size_t size = 8 + json_escape(record + 8, bytes, length);
  const char *name = stream == STDERR ? "stderr" : "stdout";
  size += (size_t)snprintf(record + size, 100, "\",\"stream\":\"%s\",\"time\":\"%s\"}\n", name, time);
  if (config.log_buffer > 0) log_queue_put(record, size);
  else log_file_append(record, size);
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
  static bool closed;
  if (config.log == NULL || closed) return;
  closed = true;
  for (int stream = STDOUT; stream <= STDERR; stream++)
    if (lines[stream].length > 0) emit_line((enum stream)stream, lines[stream].length);
  // Whoever writes to a log that takes nothing is left behind with it.
  if (config.log_buffer > 0 && log_queue_close() < 0) return;
  log_file_close();
}

// Where the log ends now: what comes later comes after it. false: that is not known.
bool log_mark(uint64_t *inode, int64_t *offset) {
  return config.log != NULL && config.log_buffer == 0 && log_file_mark(inode, offset);
}

// What was said of a line whose end has not come: it is not in the log yet.
size_t log_rest(enum stream stream, const char **bytes) {
  *bytes = (const char *)lines[stream].bytes;
  return lines[stream].length;
}

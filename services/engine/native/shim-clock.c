// Time, and the record that says when and how the process ended.
#define _GNU_SOURCE
#include "shim.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t sooner(int64_t a, int64_t b) {
  if (a == 0) return b;
  return b == 0 || a < b ? a : b;
}

void format_time(char out[40]) {
  static time_t last = -1;
  static char seconds[24];
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  if (time.tv_sec != last) {
    struct tm parts;
    gmtime_r(&time.tv_sec, &parts);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
    last = time.tv_sec;
  }
  snprintf(out, 40, "%s.%09ldZ", seconds, time.tv_nsec);
}

// Whole or not at all, also when the power goes: written beside, synced, then renamed. Nobody asks for the end of an
// exec after that, and its client waits for the record: it is not synced.
int write_exit_record(int exit_code, bool oom_killed, const char *finished_at) {
  char text[160];
  int length = snprintf(text, sizeof text, "{\"exitCode\":%d,\"oomKilled\":%s,\"finishedAt\":\"%s\"}\n", exit_code,
                        oom_killed ? "true" : "false", finished_at);
  int fd = openat(folder_fd, "exit.json.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  bool written = write(fd, text, (size_t)length) == length && (is_exec || fdatasync(fd) == 0);
  close(fd);
  if (!written || renameat(folder_fd, "exit.json.new", folder_fd, "exit.json") < 0) return -1;
  return is_exec ? 0 : fsync(folder_fd);
}

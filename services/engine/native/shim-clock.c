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

void describe_exit(char out[EXIT_BYTES], int exit_code, bool oom_killed, const char *finished_at) {
  snprintf(out, EXIT_BYTES, "{\"exitCode\":%d,\"oomKilled\":%s,\"finishedAt\":\"%s\"}", exit_code,
           oom_killed ? "true" : "false", finished_at);
}

// Whole or not at all: written beside, then renamed.
int write_exit_record(const char *record) {
  int fd = openat(folder_fd, "exit.json.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  size_t length = strlen(record);
  bool written = write(fd, record, length) == (ssize_t)length && write(fd, "\n", 1) == 1;
  close(fd);
  return written ? renameat(folder_fd, "exit.json.new", folder_fd, "exit.json") : -1;
}

void sync_exit_record(void) {
  int fd = openat(folder_fd, "exit.json", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  fdatasync(fd);
  close(fd);
  fsync(folder_fd);
}

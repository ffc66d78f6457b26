// Tells when the kernel killed a process of the container for want of memory: cgroup v1 by an eventfd, v2 by inotify.
#define _GNU_SOURCE
#include "shim.h"
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { LOOK_AGAIN_MS = 100 }; // the notice of v1 may come before the kill is counted

static void oom_ready(struct source *source, uint32_t events);

static struct source notice = {-1, 0, oom_ready};
static int counter = -1;
static long long seen;
static int64_t again;

// The memory cgroup of a process: `4:memory:/path` in v1, `0::/path` in v2.
static int find_cgroup(pid_t pid, bool unified, char *out, size_t size) {
  char path[64], line[4352];
  snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return -1;
  int found = -1;
  while (found < 0 && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *name = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (name == NULL) continue;
    *name++ = '\0';
    controllers++;
    if (strcmp(controllers, unified ? "" : "memory") != 0) continue;
    int length = snprintf(out, size, "/sys/fs/cgroup%s%s", unified ? "" : "/memory", name);
    if (length > 0 && (size_t)length < size) found = 0;
  }
  fclose(file);
  return found;
}

static int open_in(const char *folder, const char *name, int flags) {
  char path[4500];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return open(path, flags | O_CLOEXEC);
}

static void notice_v1(const char *folder) {
  int events = open_in(folder, "cgroup.event_control", O_WRONLY);
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (events >= 0 && fd >= 0 && dprintf(events, "%d %d", fd, counter) > 0) notice.fd = fd;
  else if (fd >= 0) close(fd);
  if (events >= 0) close(events);
}

static void notice_v2(const char *folder) {
  char path[4500];
  snprintf(path, sizeof path, "%s/memory.events", folder);
  int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd >= 0 && inotify_add_watch(fd, path, IN_MODIFY) >= 0) notice.fd = fd;
  else if (fd >= 0) close(fd);
}

void oom_watch(pid_t pid) {
  char folder[4400];
  struct statfs status;
  bool unified = statfs("/sys/fs/cgroup", &status) == 0 && status.f_type == CGROUP2_SUPER_MAGIC;
  if (find_cgroup(pid, unified, folder, sizeof folder) < 0) return;
  counter = open_in(folder, unified ? "memory.events" : "memory.oom_control", O_RDONLY);
  if (counter < 0) return;
  if (unified) notice_v2(folder);
  else notice_v1(folder);
  watch(&notice, EPOLLIN);
}

static long long kills(void) {
  char text[1024];
  ssize_t n = counter < 0 ? -1 : pread(counter, text, sizeof text - 1, 0);
  if (n <= 0) return seen;
  text[n] = '\0';
  char *at = strstr(text, "oom_kill ");
  return at == NULL ? seen : strtoll(at + strlen("oom_kill "), NULL, 10);
}

static bool look(void) {
  long long count = kills();
  if (count <= seen) return false;
  seen = count;
  control_broadcast("event oom");
  return true;
}

static void oom_ready(struct source *source, uint32_t events) {
  (void)events;
  char bytes[4096];
  while (read(source->fd, bytes, sizeof bytes) > 0) {
  }
  again = look() ? 0 : now_ms() + LOOK_AGAIN_MS;
}

int64_t oom_deadline(void) { return again; }

void oom_expire(int64_t now) {
  if (again == 0 || now < again) return;
  again = 0;
  look();
}

bool oom_happened(void) {
  look();
  return seen > 0;
}

// Before the cgroup goes: its removal would count as a notice.
void oom_close(void) {
  again = 0;
  close_source(&notice);
  if (counter >= 0) close(counter);
  counter = -1;
}

// The container's control groups, for a process that joins them: `CGROUPS` has them as /proc/PID/cgroup does.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { FOLDER_BYTES = 4500 };

typedef void look(const char *folder, const char *controllers);

// v1 has a tree for each controller, v2 one for all; where both are, v1 counts.
static void each_cgroup(look *look) {
  const char *given = getenv("CGROUPS");
  char *text = given == NULL ? NULL : strdup(given);
  struct statfs status;
  bool unified = statfs("/sys/fs/cgroup", &status) == 0 && status.f_type == CGROUP2_SUPER_MAGIC;
  for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
    next = strchr(line, '\n');
    if (next != NULL) *next++ = '\0';
    char *controllers = strchr(line, ':');
    char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (path == NULL) continue;
    *controllers++ = '\0';
    *path++ = '\0';
    if ((*controllers == '\0') != unified) continue;
    if (strncmp(controllers, "name=", 5) == 0) controllers += 5;
    char folder[FOLDER_BYTES];
    snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s%s", unified ? "" : "/", controllers, path);
    look(folder, controllers);
  }
  free(text);
}

static int open_in(const char *folder, const char *name, int flags) {
  char path[FOLDER_BYTES + 32];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return open(path, flags | O_CLOEXEC);
}

// Each process joins by itself and as a single thread: in v1 the kernel then need not wait for all processors.
static void join(const char *folder, const char *controllers) {
  int fd = open_in(folder, *controllers == '\0' ? "cgroup.procs" : "tasks", O_WRONLY);
  if (fd < 0 && errno == ENOENT) return; // such a tree is not mounted
  if (fd < 0 || write(fd, "0", 1) != 1) give_up("cannot join the control group %s: %s", folder, strerror(errno));
  close(fd);
}

void join_cgroups(void) { each_cgroup(join); }

static bool frozen;

static void look_frozen(const char *folder, const char *controllers) {
  bool unified = *controllers == '\0';
  if (!unified && strcmp(controllers, "freezer") != 0) return;
  char text[16] = "";
  int fd = open_in(folder, unified ? "cgroup.freeze" : "freezer.state", O_RDONLY);
  if (fd < 0) return;
  if (read(fd, text, sizeof text - 1) > 0) frozen = unified ? text[0] == '1' : strncmp(text, "FR", 2) == 0;
  close(fd);
}

// Also while it is still freezing.
bool is_frozen(void) {
  frozen = false;
  each_cgroup(look_frozen);
  return frozen;
}

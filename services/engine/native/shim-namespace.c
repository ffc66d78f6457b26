// The mount namespace of the shim: what is mounted for a container exists only here and ends with the shim.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { MAX_MOUNT_BYTES = 4096 }; // a page: what mount(2) takes

static bool is_of_type(const char *path, long type) {
  struct statfs status;
  return statfs(path, &status) == 0 && (long)status.f_type == type;
}

// crun refuses machines that have cgroup v1 and a v2 tree beside it; here the v2 tree is out of sight.
static int hide_unified_cgroups(void) {
  const char *unified = "/sys/fs/cgroup/unified";
  if (!is_of_type("/sys/fs/cgroup", TMPFS_MAGIC) || !is_of_type(unified, CGROUP2_SUPER_MAGIC)) return 0;
  return umount2(unified, MNT_DETACH);
}

int enter_namespace(void) {
  if (unshare(CLONE_NEWNS) < 0) return -1;
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) return -1;
  return hide_unified_cgroups();
}

static int open_folder(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

static int append(char *options, size_t *length, const char *before, int fd) {
  int added = snprintf(options + *length, MAX_MOUNT_BYTES - *length, "%s%d", before, fd);
  if (added < 0 || *length + (size_t)added >= MAX_MOUNT_BYTES) return -1;
  *length += (size_t)added;
  return 0;
}

static char *rootfs_path(void) {
  char *path;
  return asprintf(&path, "%s/rootfs", config.bundle) < 0 ? NULL : path;
}

// Folders are named by their descriptors, relative to /proc/self/fd: the longest list of layers fits a page, and no
// character of a path needs care.
static int mount_overlay(char *options, const char *target, int *opened, size_t *count) {
  size_t length = 0;
  for (size_t i = 0; i < config.lower_count + 2; i++) {
    const char *path = i == 0 ? config.upper : i == 1 ? config.work : config.lower[i - 2];
    const char *before = i == 0 ? "upperdir=" : i == 1 ? ",workdir=" : i == 2 ? ",lowerdir=" : ":";
    int fd = open_folder(path);
    if (fd < 0) return -1;
    opened[(*count)++] = fd;
    if (append(options, &length, before, fd) < 0) {
      errno = E2BIG;
      return -1;
    }
  }
  const char *more = ",index=off,redirect_dir=off,metacopy=off";
  if (length + strlen(more) >= MAX_MOUNT_BYTES) {
    errno = E2BIG;
    return -1;
  }
  strcpy(options + length, more);
  if (chdir("/proc/self/fd") < 0) return -1;
  return mount("overlay", target, "overlay", 0, options);
}

int mount_rootfs(void) {
  char *target = rootfs_path();
  char *options = calloc(1, MAX_MOUNT_BYTES);
  int *opened = calloc(MAX_LOWER + 2, sizeof *opened);
  size_t count = 0;
  int result = -1;
  if (target != NULL && options != NULL && opened != NULL) result = mount_overlay(options, target, opened, &count);
  int error = errno;
  for (size_t i = 0; i < count; i++) close(opened[i]);
  if (fchdir(folder_fd) < 0) result = -1;
  free(target);
  free(options);
  free(opened);
  errno = error;
  return result;
}

void unmount_rootfs(void) {
  char *target = rootfs_path();
  if (target != NULL) umount2(target, MNT_DETACH);
  free(target);
}

// Folders of the host that a container shares with it: what is mounted there on one side is mounted on the other too.
// In the shim's namespace every mount only follows the host's, so these are taken before it is made, as they are, and
// put where the container's configuration looks for them: BUNDLE/shared/0, BUNDLE/shared/1, …
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#endif

static int *trees;

int take_shared(void) {
  trees = calloc(config.shared_count + 1, sizeof *trees);
  if (trees == NULL) return -1;
  for (size_t i = 0; i < config.shared_count; i++) {
    unsigned int flags = OPEN_TREE_CLONE | AT_RECURSIVE | O_CLOEXEC;
    trees[i] = (int)syscall(SYS_open_tree, AT_FDCWD, config.shared[i], flags);
    if (trees[i] < 0) return -1;
  }
  return 0;
}

static int place(int tree, size_t number) {
  char *path;
  if (asprintf(&path, "%s/shared/%zu", config.bundle, number) < 0) return -1;
  int result = (int)syscall(SYS_move_mount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
  int error = errno;
  free(path);
  close(tree);
  errno = error;
  return result;
}

int place_shared(void) {
  for (size_t i = 0; i < config.shared_count; i++)
    if (place(trees[i], i) < 0) return -1;
  free(trees);
  return 0;
}

// Going into a container's root. A running container is entered through its own mount namespace; one at rest gets its
// overlay mounted in a namespace that ends with this process.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_MADE_BYTES 8192
// As the kernel has it.
#define MAX_LINKS 40

static int root_fd = -1;
static int descriptors_fd = -1;

static void settle_in_root(void) {
  if (chroot(".") < 0 || chdir("/") < 0) fail_errno("chroot", ".");
  root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0) fail_errno("open", "/");
}

static void keep_descriptors(void) {
  descriptors_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptors_fd < 0) fail_errno("open", "/proc/self/fd");
}

void enter_folder(const char *folder) {
  keep_descriptors();
  if (chdir(folder) < 0) fail_errno("chdir", folder);
  settle_in_root();
}

static int open_here(const char *path, int flags) {
  int fd = open(path, flags | O_CLOEXEC);
  if (fd < 0) fail_errno("open", path);
  return fd;
}

static void enter_running(struct options *options) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/mnt", options->pid);
  int space = open(path, O_RDONLY | O_CLOEXEC);
  snprintf(path, sizeof path, "/proc/%d/root", options->pid);
  int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (space < 0 || root < 0) fail("not-running", "process %d is not there any more", options->pid);
  if (setns(space, CLONE_NEWNS) < 0) fail_errno("setns", path);
  if (options->plain) {
    // Without what is mounted inside: a copy of the root mount alone.
    if (fchdir(root) < 0) fail_errno("chdir", path);
    int clone = syscall(SYS_open_tree, AT_FDCWD, ".", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (clone < 0) fail_errno("open_tree", path);
    root = clone;
  }
  if (fchdir(root) < 0) fail_errno("chdir", path);
  settle_in_root();
}

static void append(char *into, size_t size, const char *text) {
  if (strlen(into) + strlen(text) >= size) fail("limit", "too many layers");
  strcat(into, text);
}

// Folders by their descriptors: names of a hundred layers would not fit into the mount data.
static void mount_overlay(struct options *options, const char *at, bool writes) {
  char data[4096] = "lowerdir=", piece[64];
  bool first = true;
  if (!writes) {
    snprintf(piece, sizeof piece, "/proc/self/fd/%d", open_here(options->upper, O_PATH | O_DIRECTORY));
    append(data, sizeof data, piece);
    first = false;
  }
  for (int i = 0; i < options->lower_count; i++) {
    snprintf(piece, sizeof piece, "%s/proc/self/fd/%d", first ? "" : ":", open_here(options->lower[i], O_PATH | O_DIRECTORY));
    append(data, sizeof data, piece);
    first = false;
  }
  if (writes) {
    snprintf(piece, sizeof piece, ",upperdir=/proc/self/fd/%d", open_here(options->upper, O_PATH | O_DIRECTORY));
    append(data, sizeof data, piece);
    snprintf(piece, sizeof piece, ",workdir=/proc/self/fd/%d", open_here(options->work, O_PATH | O_DIRECTORY));
    append(data, sizeof data, piece);
  }
  if (mount("overlay", at, "overlay", writes ? 0 : MS_RDONLY, data) < 0) fail_errno("mount overlay", at);
}

static int make_mount_point(const struct bind *bind) {
  int place = open_inside(bind->destination, O_PATH);
  if (place >= 0 || errno != ENOENT) return place;
  struct stat info;
  if (fstat(bind->fd, &info) < 0) return -1;
  char path[4096];
  snprintf(path, sizeof path, "%s", bind->destination);
  int parent = open_inside("/", O_PATH | O_DIRECTORY);
  char *rest = path, *step;
  while ((step = strsep(&rest, "/")) != NULL && parent >= 0) {
    if (*step == '\0' || strcmp(step, ".") == 0) continue;
    if (strcmp(step, "..") == 0) return -1;
    bool last = rest == NULL || strspn(rest, "/") == strlen(rest);
    if (last && !S_ISDIR(info.st_mode)) {
      int made = openat(parent, step, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
      if (made >= 0) close(made);
    } else mkdirat(parent, step, 0755);
    char so_far[4096];
    size_t length = (size_t)(step - path) + strlen(step);
    memcpy(so_far, bind->destination, length);
    so_far[length] = '\0';
    close(parent);
    parent = open_inside(so_far, O_PATH);
  }
  return parent;
}

static void mount_binds(struct options *options) {
  char from[64], to[64];
  for (int i = 0; i < options->bind_count; i++) {
    struct bind *bind = &options->binds[i];
    if (bind->fd < 0) continue;
    int place = make_mount_point(bind);
    if (place < 0) continue;
    snprintf(from, sizeof from, "/proc/self/fd/%d", bind->fd);
    snprintf(to, sizeof to, "/proc/self/fd/%d", place);
    if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0) fail_errno("mount", bind->destination);
    close(place);
    if (!bind->read_only) continue;
    place = open_inside(bind->destination, O_PATH);
    snprintf(to, sizeof to, "/proc/self/fd/%d", place);
    if (mount(NULL, to, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) < 0) fail_errno("mount", bind->destination);
    close(place);
  }
}

static void enter_resting(struct options *options, bool writes) {
  if (options->upper == NULL || options->work == NULL || options->lower_count == 0) fail("invalid", "no root file system");
  keep_descriptors();
  if (unshare(CLONE_NEWNS) < 0) fail_errno("unshare", "mounts");
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail_errno("mount", "/");
  for (int i = 0; i < options->bind_count; i++) options->binds[i].fd = open(options->binds[i].source, O_PATH | O_CLOEXEC);
  // In this namespace the overlay may hide the folder that its own parts lie in.
  char at[4096];
  snprintf(at, sizeof at, "%s", options->upper);
  char *slash = strrchr(at, '/');
  if (slash == NULL || slash == at) fail("invalid", "%s is no place for a container", options->upper);
  *slash = '\0';
  bool needs_points = options->bind_count > 0;
  mount_overlay(options, at, writes || needs_points);
  root_fd = open_here(at, O_PATH | O_DIRECTORY);
  mount_binds(options);
  if (options->read_only && mount(NULL, at, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0) fail_errno("mount", at);
  if (chdir(at) < 0) fail_errno("chdir", at);
  close(root_fd);
  settle_in_root();
}

void enter_root(struct options *options, bool writes) {
  if (options->pid > 0) {
    keep_descriptors();
    enter_running(options);
  } else enter_resting(options, writes);
}

int open_inside(const char *path, int flags) {
  struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  while (*path == '/') path++;
  for (int tries = 0;; tries++) {
    int fd = (int)syscall(SYS_openat2, root_fd, *path ? path : ".", &how, sizeof how);
    // Somebody moved a folder meanwhile: asked again.
    if (fd >= 0 || errno != EAGAIN || tries > 100) return fd;
  }
}

// Where a link leads that nothing is at: what it says, seen from the folder that it lies in, and what comes behind it.
static bool behind_link(int folder, const char *path, const char *name, const char *rest, char into[MAX_MADE_BYTES]) {
  char link[4096];
  ssize_t length = readlinkat(folder, name, link, sizeof link - 1);
  if (length <= 0) return false;
  link[length] = '\0';
  int before = *link == '/' ? 0 : (int)(name - path);
  int needed = snprintf(into, MAX_MADE_BYTES, "%.*s%s/%s", before, path, link, rest);
  if (needed < 0 || needed >= MAX_MADE_BYTES) fail("limit", "a path is too long");
  return true;
}

static int make_path(const char *path, uid_t uid, gid_t gid, uint64_t *made, int links_left) {
  char so_far[MAX_MADE_BYTES];
  if (strlen(path) >= sizeof so_far) fail("limit", "a path is too long");
  strcpy(so_far, path);
  int folder = open_inside("/", O_RDONLY | O_DIRECTORY);
  for (char *at = so_far; folder >= 0 && *at;) {
    while (*at == '/') at++;
    size_t length = strcspn(at, "/");
    if (length == 0) break;
    char end = at[length];
    at[length] = '\0';
    int inside = open_inside(so_far, O_RDONLY | O_DIRECTORY);
    if (inside < 0 && errno == ENOENT && mkdirat(folder, at, 0755) == 0) {
      ++*made;
      if ((uid != 0 || gid != 0) && fchownat(folder, at, uid, gid, AT_SYMLINK_NOFOLLOW) < 0) fail_errno("chown", path);
      inside = open_inside(so_far, O_RDONLY | O_DIRECTORY);
    }
    char next[MAX_MADE_BYTES];
    bool is_link = inside < 0 && errno == EEXIST && links_left > 0;
    if (is_link && behind_link(folder, so_far, at, end == '/' ? at + length + 1 : "", next)) {
      close(folder);
      return make_path(next, uid, gid, made, links_left - 1);
    }
    close(folder);
    folder = inside;
    at[length] = end;
    at += length;
  }
  return folder;
}

int make_inside(const char *path, uid_t uid, gid_t gid, uint64_t *made) {
  return make_path(path, uid, gid, made, MAX_LINKS);
}

int open_layers(const char **layers, int count) {
  if (count == 1) return open_here(layers[0], O_RDONLY | O_DIRECTORY);
  if (unshare(CLONE_NEWNS) < 0) fail_errno("unshare", "mounts");
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail_errno("mount", "/");
  struct options image = {.upper = layers[0], .lower_count = count - 1};
  for (int i = 1; i < count; i++) image.lower[i - 1] = layers[i];
  mount_overlay(&image, layers[0], false);
  int root = open_here(layers[0], O_RDONLY | O_DIRECTORY);
  // It stays as long as it is open, and hides nothing.
  if (umount2(layers[0], MNT_DETACH) < 0) fail_errno("umount", layers[0]);
  return root;
}

bool path_of(int fd, char *into, size_t size) {
  char name[16];
  snprintf(name, sizeof name, "%d", fd);
  ssize_t length = readlinkat(descriptors_fd, name, into, size - 1);
  if (length <= 0) return false;
  into[length] = '\0';
  return into[0] == '/';
}

// What is there: one path of a container, what changed against its image, how much it is.
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/xattr.h>
#include <unistd.h>

static int by_name(const void *one, const void *other) { return strcmp(*(char *const *)one, *(char *const *)other); }

char **sorted_names(int folder) {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = copy < 0 ? NULL : fdopendir(copy);
  if (list == NULL) fail_errno("list", "folder");
  size_t count = 0, room = 32;
  char **names = malloc(room * sizeof *names);
  struct dirent *item;
  while ((item = readdir(list)) != NULL) {
    if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
    if (count + 2 > room) names = realloc(names, (room *= 2) * sizeof *names);
    if (names == NULL) fail("limit", "out of memory");
    names[count++] = strdup(item->d_name);
  }
  closedir(list);
  qsort(names, count, sizeof *names, by_name);
  names[count] = NULL;
  return names;
}

void free_names(char **names) {
  for (char **at = names; *at; at++) free(*at);
  free(names);
}

bool is_opaque(int folder) {
  char value[2];
  return fgetxattr(folder, OPAQUE, value, sizeof value) == 1 && value[0] == 'y';
}

// Where a link leads in the end, as far as that is there.
static void link_target(const char *path, int place, char into[8192]) {
  int target = open_inside(path, O_PATH);
  if (target >= 0 && path_of(target, into, 8192)) return;
  char text[4096], at[4096];
  ssize_t length = readlinkat(place, "", text, sizeof text - 1);
  text[length < 0 ? 0 : length] = '\0';
  if (text[0] == '/' || !path_of(place, at, sizeof at)) {
    snprintf(into, 8192, "%s", text);
    return;
  }
  *strrchr(at, '/') = '\0';
  snprintf(into, 8192, "%s/%s", at, text);
}

void mode_stat(struct options *options) {
  if (options->path == NULL) fail("invalid", "--path is missing");
  enter_root(options, false);
  size_t length = strlen(options->path);
  bool follows = length > 0 && (options->path[length - 1] == '/' || (length > 1 && strcmp(options->path + length - 2, "/.") == 0));
  int place = open_inside(options->path, O_PATH | (follows ? 0 : O_NOFOLLOW));
  struct stat info;
  if (place < 0 || fstat(place, &info) < 0) fail_errno("lstat", options->path);
  char target[8192] = "";
  if (S_ISLNK(info.st_mode)) link_target(options->path, place, target);
  fprintf(stderr, "{\"size\":%lld,\"mode\":%u,\"seconds\":%lld,\"nanoseconds\":%ld,\"linkTarget\":", (long long)info.st_size,
          info.st_mode, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  json_string(stderr, target);
  fputs("}\n", stderr);
}

// A folder's own change is told before those inside it, and only once.
struct change_walk {
  int below;  // the image, all layers in one
  bool is_first;
};

static void tell(struct change_walk *walk, const char *path, int kind) {
  fputs(walk->is_first ? "" : ",", stdout);
  walk->is_first = false;
  fputs("{\"Path\":", stdout);
  json_string(stdout, path);
  printf(",\"Kind\":%d}", kind);
}

// The untold folder above, if any, is told as changed when something in it is.
struct parents {
  struct parents *above;
  const char *path;
  bool told;
};

static void tell_parents(struct change_walk *walk, struct parents *parents) {
  if (parents == NULL || parents->told) return;
  tell_parents(walk, parents->above);
  tell(walk, parents->path, 0);
  parents->told = true;
}

static bool is_same_folder(const struct stat *one, const struct stat *other) {
  return one->st_mode == other->st_mode && one->st_uid == other->st_uid && one->st_gid == other->st_gid &&
         one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

static void walk_changes(struct change_walk *walk, int folder, const char *path, struct parents *parents);

static void look_at(struct change_walk *walk, int folder, const char *name, const char *path, struct parents *parents) {
  struct stat here, below;
  if (fstatat(folder, name, &here, AT_SYMLINK_NOFOLLOW) < 0) return;
  bool was_there = fstatat(walk->below, path + 1, &below, AT_SYMLINK_NOFOLLOW) == 0 && !is_whiteout(&below);
  struct parents self = {parents, path, false};
  if (is_whiteout(&here)) {
    if (!was_there) return;
    tell_parents(walk, parents);
    tell(walk, path, 2);
    return;
  }
  bool is_folder = S_ISDIR(here.st_mode);
  bool is_quiet = is_folder && was_there && S_ISDIR(below.st_mode) && is_same_folder(&here, &below);
  if (!is_quiet) {
    tell_parents(walk, parents);
    tell(walk, path, was_there ? 0 : 1);
    self.told = true;
  }
  if (!is_folder) return;
  int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return;
  walk_changes(walk, inside, path, &self);
  close(inside);
}

// What an opaque folder hides is gone, unless it is here again.
static void tell_hidden(struct change_walk *walk, int folder, const char *path, struct parents *parents) {
  int below = openat(walk->below, path[1] ? path + 1 : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (below < 0) return;
  char **names = sorted_names(below);
  for (char **at = names; *at; at++) {
    struct stat info;
    if (fstatat(folder, *at, &info, AT_SYMLINK_NOFOLLOW) == 0) continue;
    if (fstatat(below, *at, &info, AT_SYMLINK_NOFOLLOW) < 0 || is_whiteout(&info)) continue;
    char child[8192];
    snprintf(child, sizeof child, "%s/%s", path, *at);
    tell_parents(walk, parents);
    tell(walk, child, 2);
  }
  free_names(names);
  close(below);
}

static void walk_changes(struct change_walk *walk, int folder, const char *path, struct parents *parents) {
  if (is_opaque(folder)) tell_hidden(walk, folder, path, parents);
  char **names = sorted_names(folder);
  for (char **at = names; *at; at++) {
    char child[8192];
    if ((size_t)snprintf(child, sizeof child, "%s/%s", path, *at) >= sizeof child) fail("limit", "a path is too long");
    look_at(walk, folder, *at, child, parents);
  }
  free_names(names);
}

// All lower folders in one, as the container saw them at its start.
static int open_below(struct options *options) {
  if (options->lower_count == 1) return open(options->lower[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct options image = *options;
  image.upper = options->lower[0];
  for (int i = 1; i < options->lower_count; i++) image.lower[i - 1] = options->lower[i];
  image.lower_count--;
  image.bind_count = 0;
  image.pid = 0;
  image.read_only = false;
  image.work = "";
  enter_root(&image, false);
  return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void mode_changes(struct options *options) {
  if (options->upper == NULL || options->lower_count == 0) fail("invalid", "no root file system");
  int upper = open(options->upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (upper < 0) fail_errno("open", options->upper);
  struct change_walk walk = {.below = open_below(options), .is_first = true};
  if (walk.below < 0) fail_errno("open", "layers");
  fputc('[', stdout);
  walk_changes(&walk, upper, "", NULL);
  fputs("]\n", stdout);
  if (fflush(stdout) != 0) fail_errno("write", "output");
  fputs("{\"ok\":true}\n", stderr);
}

static uint64_t size_of(int folder) {
  uint64_t size = 0;
  char **names = sorted_names(folder);
  for (char **at = names; *at; at++) {
    struct stat info;
    if (fstatat(folder, *at, &info, AT_SYMLINK_NOFOLLOW) < 0) continue;
    if (S_ISREG(info.st_mode)) size += (uint64_t)info.st_size / info.st_nlink;
    if (!S_ISDIR(info.st_mode)) continue;
    int inside = openat(folder, *at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside < 0) continue;
    size += size_of(inside);
    close(inside);
  }
  free_names(names);
  return size;
}

// Bytes of all files in a folder.
void mode_size(struct options *options) {
  int folder = options->from == NULL ? -1 : open(options->from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail_errno("open", options->from == NULL ? "" : options->from);
  fprintf(stderr, "{\"size\":%llu}\n", (unsigned long long)size_of(folder));
}

// One entry of an archive to disk. Names are taken from the current folder, links are followed inside the root only;
// in a layer, whiteouts take the form that overlayfs knows.
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_PATH_BYTES 8192

struct folder_time {
  struct folder_time *next;
  struct timespec mtime;
  char path[];
};

static struct folder_time *folder_times;
static char parent_path[MAX_PATH_BYTES];
static int parent_fd = -1;

static int open_from(int folder, const char *path) {
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  int fd;
  do fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
  while (fd < 0 && errno == EAGAIN);
  return fd;
}

static int make_parents(const char *path) {
  char so_far[MAX_PATH_BYTES];
  snprintf(so_far, sizeof so_far, "%s", path);
  for (char *at = so_far;; at++) {
    if (*at != '/' && *at != '\0') continue;
    char end = *at;
    *at = '\0';
    int fd = open_from(AT_FDCWD, so_far);
    if (fd < 0 && errno == ENOENT && mkdir(so_far, 0755) < 0) fail_errno("mkdir", so_far);
    if (fd >= 0) close(fd);
    if (end == '\0') break;
    *at = end;
  }
  return open_from(AT_FDCWD, path);
}

// Without the last step of it; of nothing, nothing.
static size_t step_back(const char *path, size_t length) {
  while (length > 0 && path[--length] != '/') {}
  return length;
}

// Without `.`, doubled slashes and a leading slash. Names with `..` are refused, or end at the root.
static void clean_path(const struct tree *tree, const char *path, char into[MAX_PATH_BYTES]) {
  size_t length = 0;
  while (*path) {
    size_t step = strcspn(path, "/");
    bool is_back = step == 2 && memcmp(path, "..", 2) == 0;
    if (is_back && !tree->clamps) fail("malformed", "invalid path in archive: it leads outside (..)");
    if (is_back) {
      length = step_back(into, length);
    } else if (step > 255 || length + step + 2 > MAX_PATH_BYTES) {
      fail("malformed", "a name in the archive is too long");
    } else if (step > 0 && !(step == 1 && *path == '.')) {
      if (length > 0) into[length++] = '/';
      memcpy(into + length, path, step);
      length += step;
    }
    path += step;
    while (*path == '/') path++;
  }
  into[length] = '\0';
}

// The folder an entry goes into. Neighbours come one after the other, so the last one is kept open.
static int parent_of(char *path, const char **name) {
  char *slash = strrchr(path, '/');
  *name = slash == NULL ? path : slash + 1;
  const char *parent = ".";
  if (slash != NULL) {
    *slash = '\0';
    parent = path;
  }
  if (parent_fd < 0 || strcmp(parent_path, parent) != 0) {
    if (parent_fd >= 0) close(parent_fd);
    parent_fd = open_from(AT_FDCWD, parent);
    if (parent_fd < 0 && errno == ENOENT) parent_fd = make_parents(parent);
    if (parent_fd < 0) fail_errno("open", parent);
    strcpy(parent_path, parent);
  }
  if (slash != NULL) *slash = '/';
  return parent_fd;
}

static void forget_parent(void) {
  if (parent_fd >= 0) close(parent_fd);
  parent_fd = -1;
}

int remove_at(int parent, const char *name) {
  if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR) return -1;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  char **names = sorted_names(folder);
  for (char **at = names; *at; at++) {
    if (remove_at(folder, *at) < 0) return -1;
  }
  free_names(names);
  close(folder);
  return unlinkat(parent, name, AT_REMOVEDIR);
}

static void make_opaque(int parent, const char *name) {
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || fsetxattr(folder, OPAQUE, "y", 1, 0) < 0) fail_errno("mark", name);
  close(folder);
}

// True when the entry was one of these: there is nothing else to do for it.
static bool add_whiteout(int parent, const char *name) {
  if (strncmp(name, ".wh.", 4) != 0) return false;
  if (strcmp(name, ".wh..wh..opq") == 0) {
    make_opaque(parent, ".");
    return true;
  }
  const char *hidden = name + 4;
  if (strncmp(hidden, ".wh.", 4) == 0) return true;
  if (*hidden == '\0' || strcmp(hidden, ".") == 0 || strcmp(hidden, "..") == 0) fail("malformed", "invalid whiteout in archive");
  if (mknodat(parent, hidden, S_IFCHR, makedev(0, 0)) == 0) return true;
  if (errno != EEXIST) fail_errno("mknod", hidden);
  // It hides what lies below, not what this layer brings itself.
  struct stat info;
  if (fstatat(parent, hidden, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)) make_opaque(parent, hidden);
  return true;
}

static void set_xattrs(int fd, const char *path, struct archive_entry *entry) {
  archive_entry_xattr_reset(entry);
  const char *name;
  const void *value;
  size_t size;
  while (archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
    if (name == NULL || strncmp(name, "trusted.", 8) == 0 || strncmp(name, "user.overlay.", 13) == 0) continue;
    if (fsetxattr(fd, name, value, size, 0) < 0 && errno != EOPNOTSUPP && errno != EPERM && errno != EINVAL) fail_errno("setxattr", path);
  }
}

static void set_file(struct tree *tree, int file, const char *path, struct archive_entry *entry) {
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {archive_entry_mtime(entry), archive_entry_mtime_nsec(entry)}};
  uid_t uid = tree->has_owner ? tree->uid : (uid_t)archive_entry_uid(entry);
  gid_t gid = tree->has_owner ? tree->gid : (gid_t)archive_entry_gid(entry);
  // What is right already is left alone: each change is one for the disk.
  struct stat now;
  if (fstat(file, &now) < 0) fail_errno("stat", path);
  bool is_foreign = now.st_uid != uid || now.st_gid != gid;
  if (is_foreign && fchown(file, uid, gid) < 0) fail_errno("chown", path);
  mode_t mode = archive_entry_perm(entry) & 07777;
  if ((is_foreign || (now.st_mode & 07777) != mode) && fchmod(file, mode) < 0) fail_errno("chmod", path);
  if (archive_entry_xattr_count(entry) > 0) set_xattrs(file, path, entry);
  if (archive_entry_mtime_is_set(entry)) futimens(file, times);
}

static void count_bytes(struct tree *tree, size_t length) {
  tree->bytes += length;
  if (tree->bytes > tree->max_bytes) fail("limit", "more than %llu bytes", (unsigned long long)tree->max_bytes);
}

static int new_file(int parent, const char *name, mode_t mode) {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int file = openat(parent, name, flags, mode);
  if (file >= 0 || errno != EEXIST) return file;
  if (remove_at(parent, name) == 0) return openat(parent, name, flags, mode);
  // Something is mounted on it: it gets new content where it is.
  return errno == EBUSY ? openat(parent, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC) : -1;
}

// A file with holes is read again when somebody asks what is in it.
static void remember_content(struct tree *tree, int file, EVP_MD_CTX *hash, bool has_holes, const char *path) {
  struct stat info;
  unsigned char digest[DIGEST_BYTES];
  if (!has_holes) finish_file_digest(hash, file, digest);
  if (fstat(file, &info) < 0) fail_errno("stat", path);
  add_digest(tree->digests, &info, has_holes ? NULL : digest);
}

static EVP_MD_CTX *begin_hash(void) {
  static EVP_MD_CTX *hash;
  if (hash == NULL) hash = EVP_MD_CTX_new();
  if (hash == NULL || EVP_DigestInit_ex(hash, EVP_sha256(), NULL) != 1) fail("io", "no sha256");
  return hash;
}

static void add_file(struct tree *tree, struct archive *archive, struct archive_entry *entry, int parent, const char *name) {
  const char *path = archive_entry_pathname(entry);
  int file = new_file(parent, name, archive_entry_perm(entry) & 07777);
  if (file < 0) fail_errno("open", path);
  EVP_MD_CTX *hash = tree->digests == NULL ? NULL : begin_hash();
  bool has_holes = false;
  const void *block;
  size_t length;
  la_int64_t offset, end = 0;
  int result;
  while ((result = archive_read_data_block(archive, &block, &length, &offset)) == ARCHIVE_OK) {
    count_bytes(tree, length);
    has_holes = has_holes || offset != end;
    if (hash != NULL && !has_holes) EVP_DigestUpdate(hash, block, length);
    for (size_t done = 0; done < length;) {
      ssize_t written = pwrite(file, (const char *)block + done, length - done, offset + (off_t)done);
      if (written < 0 && errno != EINTR) fail_errno("write", path);
      if (written > 0) done += (size_t)written;
    }
    end = offset + (la_int64_t)length;
  }
  if (result != ARCHIVE_EOF) fail_archive(archive);
  has_holes = has_holes || end < archive_entry_size(entry);
  if (end < archive_entry_size(entry) && ftruncate(file, archive_entry_size(entry)) < 0) fail_errno("truncate", path);
  set_file(tree, file, path, entry);
  if (hash != NULL) remember_content(tree, file, hash, has_holes, path);
  if (close(file) < 0) fail_errno("close", path);
}

static void remember_time(const char *path, struct archive_entry *entry) {
  if (!archive_entry_mtime_is_set(entry)) return;
  struct folder_time *time = malloc(sizeof *time + strlen(path) + 1);
  if (time == NULL) fail("limit", "out of memory");
  strcpy(time->path, path);
  time->mtime = (struct timespec){archive_entry_mtime(entry), archive_entry_mtime_nsec(entry)};
  time->next = folder_times;
  folder_times = time;
}

static void add_folder(struct tree *tree, struct archive_entry *entry, int parent, const char *name, const char *path) {
  bool hides = false;
  struct stat info;
  if (mkdirat(parent, name, archive_entry_perm(entry) & 07777) < 0) {
    if (errno != EEXIST || fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) < 0) fail_errno("mkdir", path);
    hides = tree->kind == TREE_LAYER && is_whiteout(&info);
    if (!S_ISDIR(info.st_mode)) {
      if (remove_at(parent, name) < 0 || mkdirat(parent, name, 0755) < 0) fail_errno("mkdir", path);
    }
  }
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) fail_errno("open", path);
  set_file(tree, folder, path, entry);
  close(folder);
  if (hides) make_opaque(parent, name);
  remember_time(path, entry);
}

static void add_hard_link(const struct tree *tree, const char *link, int parent, const char *name, const char *path) {
  char target[MAX_PATH_BYTES];
  clean_path(tree, link, target);
  char *slash = strrchr(target, '/');
  if (slash != NULL) *slash = '\0';
  int folder = open_from(AT_FDCWD, slash == NULL ? "." : target);
  if (folder < 0) fail("malformed", "hard link %s leads to %s, which is not there", path, link);
  const char *base = slash == NULL ? target : slash + 1;
  struct stat from, to;
  bool is_same = fstatat(folder, base, &from, AT_SYMLINK_NOFOLLOW) == 0 && fstatat(parent, name, &to, AT_SYMLINK_NOFOLLOW) == 0 &&
                 from.st_dev == to.st_dev && from.st_ino == to.st_ino;
  if (!is_same) {
    if (remove_at(parent, name) < 0) fail_errno("remove", path);
    if (linkat(folder, base, parent, name, 0) < 0) {
      if (errno == ENOENT) fail("malformed", "hard link %s leads to %s, which is not there", path, link);
      fail_errno("link", path);
    }
  }
  close(folder);
}

static void add_special(struct tree *tree, struct archive_entry *entry, int parent, const char *name) {
  const char *path = archive_entry_pathname(entry);
  mode_t type = archive_entry_filetype(entry), mode = archive_entry_perm(entry) & 07777;
  if (remove_at(parent, name) < 0) fail_errno("remove", path);
  if (type == AE_IFLNK) {
    if (symlinkat(archive_entry_symlink(entry), parent, name) < 0) fail_errno("symlink", path);
  } else if (mknodat(parent, name, type | mode, makedev(archive_entry_rdevmajor(entry), archive_entry_rdevminor(entry))) < 0) {
    fail_errno("mknod", path);
  }
  uid_t uid = tree->has_owner ? tree->uid : (uid_t)archive_entry_uid(entry);
  gid_t gid = tree->has_owner ? tree->gid : (gid_t)archive_entry_gid(entry);
  if ((uid != 0 || gid != 0) && fchownat(parent, name, uid, gid, AT_SYMLINK_NOFOLLOW) < 0) fail_errno("chown", path);
  if (type != AE_IFLNK && (uid != 0 || gid != 0) && fchmodat(parent, name, mode, 0) < 0) fail_errno("chmod", path);
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {archive_entry_mtime(entry), archive_entry_mtime_nsec(entry)}};
  if (archive_entry_mtime_is_set(entry)) utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW);
}

static void refuse_overwrite(int parent, const char *name, const char *path, bool is_folder) {
  struct stat info;
  if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(info.st_mode) == is_folder) return;
  if (is_folder) fail("overwrite", "cannot overwrite non-directory \"/%s\" with directory \"%s\"", path, path);
  fail("overwrite", "cannot overwrite directory \"/%s\" with non-directory \"%s\"", path, path);
}

void tree_add(struct tree *tree, struct archive *archive, struct archive_entry *entry) {
  if (++tree->entries > tree->max_entries) fail("limit", "more than %llu files", (unsigned long long)tree->max_entries);
  char path[MAX_PATH_BYTES];
  const char *name;
  clean_path(tree, archive_entry_pathname(entry), path);
  mode_t type = archive_entry_filetype(entry);
  const char *link = archive_entry_hardlink(entry);
  if (*path == '\0') {
    // The folder itself: of a layer it may have a mode of its own, a container's stays as it is.
    if (tree->kind == TREE_LAYER && type == AE_IFDIR) add_folder(tree, entry, AT_FDCWD, ".", ".");
    return;
  }
  int parent = parent_of(path, &name);
  if (tree->kind == TREE_LAYER && add_whiteout(parent, name)) return;
  if (tree->no_overwrite) refuse_overwrite(parent, name, path, type == AE_IFDIR && link == NULL);
  if (link != NULL) add_hard_link(tree, link, parent, name, path);
  else if (type == AE_IFREG) add_file(tree, archive, entry, parent, name);
  else if (type == AE_IFDIR) add_folder(tree, entry, parent, name, path);
  else if (type == AE_IFLNK || type == AE_IFCHR || type == AE_IFBLK || type == AE_IFIFO) add_special(tree, entry, parent, name);
  else if (type != AE_IFSOCK) fail("malformed", "%s is of an unknown kind", path);
  if (type != AE_IFREG && type != AE_IFDIR) forget_parent();
}

void tree_finish(struct tree *tree) {
  (void)tree;
  forget_parent();
  while (folder_times != NULL) {
    struct folder_time *time = folder_times;
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, time->mtime};
    utimensat(AT_FDCWD, time->path, times, AT_SYMLINK_NOFOLLOW);
    folder_times = time->next;
    free(time);
  }
}

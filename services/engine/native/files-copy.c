// What COPY and ADD do: from a folder (a build's context) or from layers (another stage) into the root of a container
// at rest. Standard input says what: texts that end with a zero byte, the first letter of each tells what it is.
//   c SOURCE, then DESTINATION   copied; a destination that ends with a slash is a folder
//   d FOLDER                     made, with all above it
//   x PATH                       left out, by its path in the source
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_ORDER_BYTES (256 * 1024 * 1024)
#define BLOCK (256 * 1024)

struct order {
  char kind;
  const char *path, *destination;
};

struct copy {
  struct options *options;
  int source;
  struct order *orders;
  size_t order_count;
  const char **excluded;
  size_t excluded_count;
  EVP_MD_CTX *hash;  // only looked at: nothing is written
  EVP_MD_CTX *file_hash;
  struct digests *known;  // NULL: nothing is known
  struct links links;     // of what one order copies: names of a file stay names of one file
  uint64_t entries, bytes, made;
  char *block;
};

static char *read_orders(size_t *length) {
  size_t room = 65536;
  char *text = malloc(room);
  *length = 0;
  for (;;) {
    if (text == NULL) fail("limit", "out of memory");
    ssize_t count = read(STDIN_FILENO, text + *length, room - *length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_errno("read", "input");
    if (count == 0) break;
    *length += (size_t)count;
    if (*length > MAX_ORDER_BYTES) fail("limit", "too much to copy by name");
    if (*length == room) text = realloc(text, room *= 2);
  }
  if (*length > 0 && text[*length - 1] != '\0') fail("invalid", "half an order came");
  return text;
}

static int by_text(const void *one, const void *other) { return strcmp(*(const char *const *)one, *(const char *const *)other); }

static struct copy new_copy(struct options *options) {
  struct copy copy = {.options = options, .block = malloc(BLOCK)};
  size_t length, count = 0;
  char *text = read_orders(&length);
  for (size_t i = 0; i < length; i++) count += text[i] == '\0';
  copy.orders = calloc(count + 1, sizeof *copy.orders);
  copy.excluded = calloc(count + 1, sizeof *copy.excluded);
  if (copy.orders == NULL || copy.excluded == NULL || copy.block == NULL) fail("limit", "out of memory");
  for (char *at = text; at < text + length; at += strlen(at) + 1) {
    if (*at == 'x') copy.excluded[copy.excluded_count++] = at + 1;
    else if (*at == 'd') copy.orders[copy.order_count++] = (struct order){'d', NULL, at + 1};
    else if (*at == 'c') {
      const char *path = at + 1;
      at += strlen(at) + 1;
      if (at >= text + length) fail("invalid", "no destination came");
      copy.orders[copy.order_count++] = (struct order){'c', path, at};
    } else fail("invalid", "an unknown order came");
  }
  qsort(copy.excluded, copy.excluded_count, sizeof *copy.excluded, by_text);
  copy.source = -1;
  if (options->source != NULL) copy.source = open(options->source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  else if (options->source_lower_count > 0) copy.source = open_layers(options->source_lower, options->source_lower_count);
  if (copy.source < 0 && options->source != NULL) fail_errno("open", options->source);
  return copy;
}

static bool is_excluded(const struct copy *copy, const char *path) {
  return copy->excluded_count > 0 && bsearch(&path, copy->excluded, copy->excluded_count, sizeof *copy->excluded, by_text) != NULL;
}

// Links are followed, but never out of the source.
static int open_source_path(const struct copy *copy, const char *path, int flags) {
  struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  while (*path == '/') path++;
  if (copy->source < 0) {
    errno = ENOENT;
    return -1;
  }
  return (int)syscall(SYS_openat2, copy->source, *path ? path : ".", &how, sizeof how);
}

static void count_entry(struct copy *copy, uint64_t bytes) {
  if (++copy->entries > copy->options->max_entries) fail("limit", "more than %llu files", (unsigned long long)copy->options->max_entries);
  copy->bytes += bytes;
  if (copy->bytes > copy->options->max_bytes) fail("limit", "more than %llu bytes", (unsigned long long)copy->options->max_bytes);
}

// --- what it would be

static void hash_text(struct copy *copy, const char *text) { EVP_DigestUpdate(copy->hash, text, strlen(text) + 1); }

// Everything but times: they change without anything having changed.
static void hash_head(struct copy *copy, const struct stat *info, const char *path) {
  bool owned = copy->options->keep_owner;
  char head[256];
  hash_text(copy, path);
  long long size = S_ISREG(info->st_mode) ? (long long)info->st_size : 0;
  unsigned long long device = S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode) ? (unsigned long long)info->st_rdev : 0;
  snprintf(head, sizeof head, "%o %u %u %lld %llu", info->st_mode, owned ? info->st_uid : 0, owned ? info->st_gid : 0, size, device);
  hash_text(copy, head);
}

static void digest_file(struct copy *copy, int file, off_t size, const char *path, unsigned char digest[DIGEST_BYTES]) {
  EVP_DigestInit_ex(copy->file_hash, EVP_sha256(), NULL);
  for (off_t left = size; left > 0;) {
    ssize_t count = read(file, copy->block, left < BLOCK ? (size_t)left : BLOCK);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_errno("read", path);
    if (count == 0) fail("io", "%s became shorter while it was read", path);
    EVP_DigestUpdate(copy->file_hash, copy->block, (size_t)count);
    left -= count;
  }
  finish_file_digest(copy->file_hash, file, digest);
}

static void hash_file(struct copy *copy, int file, const struct stat *info, const char *path) {
  unsigned char fresh[DIGEST_BYTES];
  const unsigned char *digest = find_digest(copy->known, info);
  if (digest == NULL) {
    digest_file(copy, file, info->st_size, path, fresh);
    if (copy->known != NULL) add_digest(copy->known, info, fresh);
    digest = fresh;
  }
  hash_head(copy, info, path);
  EVP_DigestUpdate(copy->hash, digest, DIGEST_BYTES);
  const char *first = info->st_nlink > 1 ? first_name(&copy->links, info, path) : NULL;
  if (first != NULL) hash_text(copy, first);
}

// --- what it is

static void copy_xattrs(int from, int to) {
  char names[65536], value[65536];
  ssize_t length = flistxattr(from, names, sizeof names);
  for (char *name = names; length > 0 && name < names + length; name += strlen(name) + 1) {
    if (strncmp(name, "user.overlay.", 13) == 0) continue;
    if (strncmp(name, "user.", 5) != 0 && strcmp(name, "security.capability") != 0) continue;
    ssize_t size = fgetxattr(from, name, value, sizeof value);
    if (size >= 0 && fsetxattr(to, name, value, (size_t)size, 0) < 0 && errno != EOPNOTSUPP && errno != EPERM) fail_errno("setxattr", name);
  }
}

static uid_t owner_of(const struct copy *copy, const struct stat *info) {
  if (copy->options->has_owner) return copy->options->owner_uid;
  return copy->options->keep_owner ? info->st_uid : 0;
}

static gid_t group_of(const struct copy *copy, const struct stat *info) {
  if (copy->options->has_owner) return copy->options->owner_gid;
  return copy->options->keep_owner ? info->st_gid : 0;
}

static mode_t mode_of(const struct copy *copy, const struct stat *info) {
  const char *text = copy->options->file_mode;
  return text == NULL ? info->st_mode & 07777 : changed_mode(text, info->st_mode);
}

static void set_like(struct copy *copy, int from, int to, const struct stat *info, const char *path) {
  struct stat now;
  if (fstat(to, &now) < 0) fail_errno("stat", path);
  bool is_foreign = now.st_uid != owner_of(copy, info) || now.st_gid != group_of(copy, info);
  if (is_foreign && fchown(to, owner_of(copy, info), group_of(copy, info)) < 0) fail_errno("chown", path);
  copy_xattrs(from, to);
  mode_t mode = mode_of(copy, info);
  if ((is_foreign || (now.st_mode & 07777) != mode) && fchmod(to, mode) < 0) fail_errno("chmod", path);
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, info->st_mtim};
  futimens(to, times);
}

static void make_room(int folder, const char *name, bool is_folder, const char *path) {
  struct stat info;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0) return;
  if (S_ISDIR(info.st_mode) && !is_folder) fail("overwrite", "cannot copy to directory: %s", path);
  if (S_ISDIR(info.st_mode)) return;
  if (is_folder) fail("overwrite", "cannot copy to non-directory: %s", path);
  if (unlinkat(folder, name, 0) < 0) fail_errno("remove", path);
}

// Another name of a file that is there already. False: it is not.
static bool link_file(struct copy *copy, const struct stat *info, int folder, const char *name, const char *path) {
  char place[8192];
  if (info->st_nlink < 2 || !path_of(folder, place, sizeof place)) return false;
  size_t length = strlen(place);
  if ((size_t)snprintf(place + length, sizeof place - length, "/%s", name) >= sizeof place - length) fail("limit", "a path is too long");
  const char *first = first_name(&copy->links, info, place);
  if (first == NULL) return false;
  if (linkat(AT_FDCWD, first, folder, name, 0) < 0) fail_errno("link", path);
  return true;
}

static void write_file(struct copy *copy, int file, const struct stat *info, int folder, const char *name, const char *path) {
  make_room(folder, name, false, path);
  if (link_file(copy, info, folder, name, path)) return;
  int made = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made < 0) fail_errno("create", path);
  for (off_t left = info->st_size; left > 0;) {
    ssize_t count = sendfile(made, file, NULL, left < (1 << 30) ? (size_t)left : 1 << 30);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_errno("write", path);
    if (count == 0) fail("io", "%s became shorter while it was read", path);
    left -= count;
  }
  set_like(copy, file, made, info, path);
  if (close(made) < 0) fail_errno("close", path);
}

static void copy_file(struct copy *copy, int file, const struct stat *info, int folder, const char *name, const char *path) {
  count_entry(copy, (uint64_t)info->st_size);
  if (copy->hash == NULL) return write_file(copy, file, info, folder, name, path);
  hash_file(copy, file, info, path);
}

static void copy_special(struct copy *copy, int from, const char *from_name, const struct stat *info, int folder, const char *name, const char *path) {
  char target[8192] = "";
  ssize_t length = S_ISLNK(info->st_mode) ? readlinkat(from, from_name, target, sizeof target - 1) : 0;
  if (length < 0) fail_errno("readlink", path);
  target[length] = '\0';
  count_entry(copy, 0);
  if (copy->hash != NULL) {
    hash_head(copy, info, path);
    hash_text(copy, target);
    return;
  }
  make_room(folder, name, false, path);
  mode_t mode = mode_of(copy, info);
  if (S_ISLNK(info->st_mode)) {
    if (symlinkat(target, folder, name) < 0) fail_errno("symlink", path);
  } else if (mknodat(folder, name, (info->st_mode & S_IFMT) | mode, info->st_rdev) < 0) fail_errno("mknod", path);
  if (fchownat(folder, name, owner_of(copy, info), group_of(copy, info), AT_SYMLINK_NOFOLLOW) < 0) fail_errno("chown", path);
  if (!S_ISLNK(info->st_mode) && fchmodat(folder, name, mode, 0) < 0) fail_errno("chmod", path);
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, info->st_mtim};
  utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW);
}

static void copy_children(struct copy *copy, int from, int to, const char *path);

static void copy_folder(struct copy *copy, int from, const struct stat *info, int folder, const char *name, const char *path) {
  count_entry(copy, 0);
  int made = -1;
  if (copy->hash != NULL) {
    hash_head(copy, info, path);
    hash_xattrs(copy->hash, from);
  } else {
    make_room(folder, name, true, path);
    if (mkdirat(folder, name, 0755) < 0 && errno != EEXIST) fail_errno("mkdir", path);
    made = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (made < 0) fail_errno("open", path);
  }
  copy_children(copy, from, made, path);
  if (made < 0) return;
  set_like(copy, from, made, info, path);
  close(made);
}

static void copy_child(struct copy *copy, int from, const char *name, int to, const char *path) {
  struct stat info;
  if (fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) < 0) fail_errno("stat", path);
  if (S_ISSOCK(info.st_mode) || is_whiteout(&info)) return;
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return copy_special(copy, from, name, &info, to, name, path);
  // What was read before is not opened again.
  bool is_known = copy->hash != NULL && S_ISREG(info.st_mode) && find_digest(copy->known, &info) != NULL;
  if (is_known) return copy_file(copy, -1, &info, to, name, path);
  int opened = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0 || fstat(opened, &info) < 0) fail_errno("open", path);
  if (S_ISDIR(info.st_mode)) copy_folder(copy, opened, &info, to, name, path);
  else copy_file(copy, opened, &info, to, name, path);
  close(opened);
}

static void copy_children(struct copy *copy, int from, int to, const char *path) {
  char **names = sorted_names(from);
  for (char **at = names; *at; at++) {
    char child[8192];
    if ((size_t)snprintf(child, sizeof child, "%s%s%s", path, *path ? "/" : "", *at) >= sizeof child) fail("limit", "a path is too long");
    if (!is_excluded(copy, child)) copy_child(copy, from, *at, to, child);
  }
  free_names(names);
}

static int make_destination(struct copy *copy, const char *path) {
  const struct options *options = copy->options;
  int folder = make_inside(path, options->has_owner ? options->owner_uid : 0, options->has_owner ? options->owner_gid : 0, &copy->made);
  if (folder < 0 && (errno == ENOTDIR || errno == EEXIST)) fail("not-directory", "cannot copy to non-directory: %s", path);
  if (folder < 0) fail_errno("mkdir", path);
  return folder;
}

// Two blocks of zeros end a tar. The second may be missing, but when it is there it is whole.
static bool is_cut(struct archive *archive, int file) {
  enum { END = 1024, BLOCK_OF_TAR = 512 };
  static const char zeros[END];
  char end[END];
  struct stat info;
  if (archive_filter_code(archive, 0) != ARCHIVE_FILTER_NONE || fstat(file, &info) < 0) return false;
  off_t at = archive_filter_bytes(archive, 0), rest = info.st_size - at;
  if (rest <= 0 || rest >= BLOCK_OF_TAR) return false;
  bool has_ended = at >= END && pread(file, end, END, at - END) == END && memcmp(end, zeros, END) == 0;
  return !has_ended;
}

// Whether a file is a tar, packed or not; then what is in it goes into the folder.
static bool unpack_file(struct copy *copy, int file, const char *into) {
  struct archive *archive = archive_read_new();
  archive_read_support_format_tar(archive);
  archive_read_support_filter_gzip(archive);
  archive_read_support_filter_bzip2(archive);
  archive_read_support_filter_xz(archive);
  archive_read_support_filter_zstd(archive);
  struct archive_entry *entry;
  int result = archive_read_open_fd(archive, file, BLOCK) == ARCHIVE_OK ? archive_read_next_header(archive, &entry) : ARCHIVE_FATAL;
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
    archive_read_free(archive);
    lseek(file, 0, SEEK_SET);
    return false;
  }
  int folder = make_destination(copy, into);
  if (fchdir(folder) < 0) fail_errno("chdir", into);
  close(folder);
  // What is in it belongs to whom it says, as docker has it: only the folder is the owner's that was asked for.
  const struct options *options = copy->options;
  struct tree tree = {
    .kind = TREE_PLAIN, .max_bytes = options->max_bytes - copy->bytes, .max_entries = options->max_entries - copy->entries,
  };
  for (; result == ARCHIVE_OK || result == ARCHIVE_WARN; result = archive_read_next_header(archive, &entry)) tree_add(&tree, archive, entry);
  if (result != ARCHIVE_EOF) fail_archive(archive);
  if (is_cut(archive, file)) fail("malformed", "unexpected EOF: the archive is cut off");
  tree_finish(&tree);
  copy->bytes += tree.bytes;
  copy->entries += tree.entries;
  archive_read_free(archive);
  return true;
}

static bool is_folder_inside(const char *path) {
  int folder = open_inside(path, O_PATH | O_DIRECTORY);
  if (folder >= 0) close(folder);
  return folder >= 0;
}

static const char *last_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static void put_file(struct copy *copy, const struct order *order, int file, const struct stat *info) {
  char parent[8192];
  const char *name = last_name(order->path);
  bool into_folder = *last_name(order->destination) == '\0' || is_folder_inside(order->destination);
  snprintf(parent, sizeof parent, "%s", order->destination);
  if (copy->options->unpacks && unpack_file(copy, file, parent)) return;
  if (!into_folder) {
    char *slash = strrchr(parent, '/');
    name = last_name(order->destination);
    if (slash != NULL) *slash = '\0';
  }
  int folder = make_destination(copy, parent);
  copy_file(copy, file, info, folder, name, order->path);
  close(folder);
}

static void follow_order(struct copy *copy, const struct order *order) {
  if (order->kind == 'd') {
    if (copy->hash != NULL) hash_text(copy, order->destination);
    else close(make_destination(copy, order->destination));
    return;
  }
  int place = open_source_path(copy, order->path, O_PATH);
  struct stat info;
  if (place < 0 || fstat(place, &info) < 0) fail_errno("stat", order->path);
  close(place);
  if (copy->hash != NULL) {
    hash_text(copy, order->destination);
    hash_text(copy, last_name(order->path));
  }
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) fail("invalid", "%s is neither a file nor a folder", order->path);
  int opened = open_source_path(copy, order->path, O_RDONLY | O_NONBLOCK);
  if (opened < 0 || fstat(opened, &info) < 0) fail_errno("open", order->path);
  if (S_ISDIR(info.st_mode)) {
    int folder = copy->hash == NULL ? make_destination(copy, order->destination) : -1;
    copy_children(copy, opened, folder, strcmp(order->path, ".") == 0 ? "" : order->path);
    if (folder >= 0) close(folder);
  } else if (copy->hash != NULL) copy_file(copy, opened, &info, -1, NULL, last_name(order->path));
  else put_file(copy, order, opened, &info);
  close(opened);
  forget_links(&copy->links);
}

static void report(const struct copy *copy) {
  fprintf(stderr, ",\"entries\":%llu,\"bytes\":%llu,\"made\":%llu}\n", (unsigned long long)copy->entries, (unsigned long long)copy->bytes, (unsigned long long)copy->made);
}

void mode_copy(struct options *options) {
  struct copy copy = new_copy(options);
  enter_root(options, true);
  for (size_t i = 0; i < copy.order_count; i++) follow_order(&copy, &copy.orders[i]);
  fputs("{\"ok\":true", stderr);
  report(&copy);
}

// The digest of what would be copied, of everything but times.
void mode_digest(struct options *options) {
  struct copy copy = new_copy(options);
  copy.hash = EVP_MD_CTX_new();
  copy.file_hash = EVP_MD_CTX_new();
  if (copy.hash == NULL || copy.file_hash == NULL || EVP_DigestInit_ex(copy.hash, EVP_sha256(), NULL) != 1) fail("io", "no sha256");
  if (options->digests != NULL) copy.known = open_digests(options->digests);
  for (size_t i = 0; i < copy.order_count; i++) follow_order(&copy, &copy.orders[i]);
  if (copy.known != NULL) flush_digests(copy.known);
  char digest[72];
  digest_text(copy.hash, digest);
  fprintf(stderr, "{\"digest\":\"%s\"", digest);
  report(&copy);
}

static void list_children(struct copy *copy, int folder, const char *path) {
  char **names = sorted_names(folder);
  for (char **at = names; *at; at++) {
    char child[8192];
    struct stat info;
    if ((size_t)snprintf(child, sizeof child, "%s%s%s", path, *path ? "/" : "", *at) >= sizeof child) fail("limit", "a path is too long");
    if (fstatat(folder, *at, &info, AT_SYMLINK_NOFOLLOW) < 0 || is_whiteout(&info)) continue;
    count_entry(copy, 0);
    fputc(S_ISDIR(info.st_mode) ? 'd' : 'f', stdout);
    fputs(child, stdout);
    fputc('\0', stdout);
    if (!S_ISDIR(info.st_mode)) continue;
    int inside = openat(folder, *at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside < 0) continue;
    list_children(copy, inside, child);
    close(inside);
  }
  free_names(names);
}

// Paths of everything in the source, each with `d` (a folder) or `f` before it and a zero byte at its end.
void mode_list(struct options *options) {
  struct copy copy = new_copy(options);
  if (copy.source >= 0) list_children(&copy, copy.source, "");
  if (fflush(stdout) != 0) fail_errno("write", "output");
  fputs("{\"ok\":true}\n", stderr);
}

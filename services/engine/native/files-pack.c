// From a folder to a tar: a layer with whiteouts by name, or files of a container. Names are sorted, so the same folder
// gives the same bytes.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define COPY_SIZE (256 * 1024)

struct packer {
  struct archive *archive;
  bool is_layer;
  int out;
  EVP_MD_CTX *hash;
  uint64_t bytes, size, flushed;
  char *buffer;
  int64_t epoch;
  struct links links;
};

static la_ssize_t write_out(struct archive *archive, void *data, const void *bytes, size_t length) {
  (void)archive;
  struct packer *packer = data;
  size_t done = 0;
  while (done < length) {
    ssize_t written = write(packer->out, (const char *)bytes + done, length - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) _exit(1);
    if (written < 0) fail_errno("write", "output");
    done += (size_t)written;
  }
  if (packer->hash != NULL) EVP_DigestUpdate(packer->hash, bytes, length);
  packer->bytes += length;
  return (la_ssize_t)length;
}

static struct packer new_packer(int out, bool is_layer) {
  struct packer packer = {.archive = archive_write_new(), .is_layer = is_layer, .out = out, .buffer = malloc(COPY_SIZE)};
  if (is_layer) {
    packer.hash = EVP_MD_CTX_new();
    EVP_DigestInit_ex(packer.hash, EVP_sha256(), NULL);
  }
  return packer;
}

static void open_packer(struct packer *packer) {
  archive_write_set_format_pax_restricted(packer->archive);
  archive_write_set_options(packer->archive, "xattrheader=SCHILY");
  archive_write_set_bytes_per_block(packer->archive, COPY_SIZE);
  archive_write_set_bytes_in_last_block(packer->archive, 512);
  if (archive_write_open(packer->archive, packer, NULL, write_out, NULL) != ARCHIVE_OK) fail_archive(packer->archive);
}

static void put_header(struct packer *packer, struct archive_entry *entry) {
  int result = archive_write_header(packer->archive, entry);
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail_archive(packer->archive);
}

static void put_marker(struct packer *packer, const char *folder, const char *prefix, const char *name) {
  char path[8192];
  snprintf(path, sizeof path, "%s%s%s%s", folder, *folder ? "/" : "", prefix, name);
  struct archive_entry *entry = archive_entry_new();
  archive_entry_set_pathname(entry, path);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0600);
  archive_entry_set_mtime(entry, 0, 0);
  put_header(packer, entry);
  archive_entry_free(entry);
}

static void take_xattrs(int fd, struct archive_entry *entry) {
  char names[65536], value[65536];
  ssize_t length = flistxattr(fd, names, sizeof names);
  for (char *name = names; length > 0 && name < names + length; name += strlen(name) + 1) {
    if (strncmp(name, "user.overlay.", 13) == 0) continue;
    if (strncmp(name, "user.", 5) != 0 && strcmp(name, "security.capability") != 0) continue;
    ssize_t size = fgetxattr(fd, name, value, sizeof value);
    if (size >= 0) archive_entry_xattr_add_entry(entry, name, value, (size_t)size);
  }
}

static void put_content(struct packer *packer, int file, off_t size, const char *path) {
  off_t left = size;
  while (left > 0) {
    ssize_t count = read(file, packer->buffer, left < COPY_SIZE ? (size_t)left : COPY_SIZE);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_errno("read", path);
    // It has become shorter meanwhile: the rest is filled with zeros.
    if (count == 0) break;
    if (archive_write_data(packer->archive, packer->buffer, (size_t)count) < 0) fail_archive(packer->archive);
    left -= count;
  }
  packer->size += (uint64_t)size;
}

// Of these only the folder is told: what is in them is no file of the container.
static bool is_kernel_folder(int folder) {
  static const long kinds[] = {0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x1cd1, 0x19800202, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11, 0x6e736673};
  struct statfs info;
  if (fstatfs(folder, &info) < 0) return false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (info.f_type == kinds[i]) return true;
  return false;
}

static void pack_at(struct packer *packer, int parent, const char *name, const char *path);

static void pack_children(struct packer *packer, int folder, const char *path) {
  char **names = sorted_names(folder);
  for (char **at = names; *at; at++) {
    char child[8192];
    if ((size_t)snprintf(child, sizeof child, "%s%s%s", path, *path && strcmp(path, "/") != 0 ? "/" : "", *at) >= sizeof child) fail("limit", "a path is too long");
    pack_at(packer, folder, *at, child);
  }
  free_names(names);
}

static struct archive_entry *describe(const struct packer *packer, const struct stat *info, const char *path) {
  struct archive_entry *entry = archive_entry_new();
  archive_entry_set_pathname(entry, path);
  archive_entry_set_filetype(entry, info->st_mode & S_IFMT);
  archive_entry_set_perm(entry, info->st_mode & 07777);
  archive_entry_set_uid(entry, info->st_uid);
  archive_entry_set_gid(entry, info->st_gid);
  bool is_younger = packer->epoch > 0 && info->st_mtim.tv_sec > packer->epoch;
  archive_entry_set_mtime(entry, is_younger ? packer->epoch : info->st_mtim.tv_sec, 0);
  if (S_ISREG(info->st_mode)) archive_entry_set_size(entry, info->st_size);
  if (S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode)) {
    archive_entry_set_rdevmajor(entry, major(info->st_rdev));
    archive_entry_set_rdevminor(entry, minor(info->st_rdev));
  }
  return entry;
}

// A folder is told with a slash at its end. Its own name may be empty: then only its children are told.
static void pack_folder(struct packer *packer, int parent, const char *name, const struct stat *info, const char *path) {
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 && errno == ENOENT) return;
  if (folder < 0) fail_errno("open", path);
  if (*path) {
    char told[8192];
    snprintf(told, sizeof told, strcmp(path, "/") == 0 ? "%s" : "%s/", path);
    struct archive_entry *entry = describe(packer, info, told);
    take_xattrs(folder, entry);
    put_header(packer, entry);
    archive_entry_free(entry);
  }
  if (packer->is_layer && fgetxattr(folder, "trusted.overlay.redirect", NULL, 0) > 0) fail("io", "%s was moved by the kernel; it cannot be packed alone", path);
  if (packer->is_layer && is_opaque(folder)) put_marker(packer, path, ".wh.", ".wh..opq");
  if (!is_kernel_folder(folder)) pack_children(packer, folder, path);
  close(folder);
}

static void pack_file(struct packer *packer, int parent, const char *name, struct stat *info, const char *path) {
  int file = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return;
  if (file < 0 || fstat(file, info) < 0) fail_errno("open", path);
  struct archive_entry *entry = describe(packer, info, path);
  const char *first = info->st_nlink > 1 ? first_name(&packer->links, info, path) : NULL;
  if (first != NULL) {
    archive_entry_set_hardlink(entry, first);
    archive_entry_unset_size(entry);
  } else take_xattrs(file, entry);
  put_header(packer, entry);
  if (first == NULL) put_content(packer, file, info->st_size, path);
  archive_entry_free(entry);
  close(file);
}

static void pack_at(struct packer *packer, int parent, const char *name, const char *path) {
  struct stat info;
  if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) < 0) {
    if (errno == ENOENT) return;
    fail_errno("stat", path);
  }
  if (packer->is_layer && is_whiteout(&info)) {
    char folder[8192];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) *slash = '\0';
    put_marker(packer, slash == NULL ? "" : folder, ".wh.", name);
  } else if (S_ISDIR(info.st_mode)) pack_folder(packer, parent, name, &info, path);
  else if (S_ISREG(info.st_mode)) pack_file(packer, parent, name, &info, path);
  else if (!S_ISSOCK(info.st_mode)) {
    struct archive_entry *entry = describe(packer, &info, path);
    char target[8192];
    ssize_t length = S_ISLNK(info.st_mode) ? readlinkat(parent, name, target, sizeof target - 1) : -1;
    if (length >= 0) {
      target[length] = '\0';
      archive_entry_set_symlink(entry, target);
    }
    put_header(packer, entry);
    archive_entry_free(entry);
  }
}

// A folder in overlay form as a layer, into a file.
void mode_pack(struct options *options) {
  if (options->from == NULL || options->out == NULL) fail("invalid", "--from and --out are missing");
  int out = open(options->out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out < 0) fail_errno("open", options->out);
  struct packer packer = new_packer(out, true);
  packer.epoch = options->epoch;
  enter_folder(options->from);
  open_packer(&packer);
  int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  pack_children(&packer, root, "");
  if (archive_write_close(packer.archive) != ARCHIVE_OK) fail_archive(packer.archive);
  if (close(out) < 0) fail_errno("close", options->out);
  char digest[72];
  digest_text(packer.hash, digest);
  fprintf(stderr, "{\"diffId\":\"%s\",\"digest\":\"%s\",\"bytes\":%llu,\"size\":%llu}\n", digest, digest, (unsigned long long)packer.bytes, (unsigned long long)packer.size);
}

// A path of a container, as a tar on standard output. A slash or a dot at its end asks for what a link leads to.
void mode_read(struct options *options) {
  if (options->path == NULL || options->name == NULL) fail("invalid", "--path and --name are missing");
  struct packer packer = new_packer(STDOUT_FILENO, false);
  enter_root(options, false);
  size_t length = strlen(options->path);
  bool follows = length == 0 || options->path[length - 1] == '/' || (length > 1 && strcmp(options->path + length - 2, "/.") == 0) || strcmp(options->path, ".") == 0;
  int place = open_inside(options->path, O_PATH | (follows ? 0 : O_NOFOLLOW));
  if (place < 0) fail_errno("lstat", options->path);
  char path[8192];
  if (!path_of(place, path, sizeof path)) fail("not-found", "lstat %s: it has no path", options->path);
  fputs("{\"ok\":true}\n", stderr);
  fflush(stderr);
  open_packer(&packer);
  char *slash = strrchr(path, '/');
  const char *base = slash[1] ? slash + 1 : ".";
  if (slash != path) *slash = '\0';
  int parent = open_inside(slash == path ? "/" : path, O_PATH | O_DIRECTORY);
  if (parent < 0) fail_errno("open", options->path);
  pack_at(&packer, parent, base, options->name);
  if (archive_write_close(packer.archive) != ARCHIVE_OK) fail_archive(packer.archive);
}

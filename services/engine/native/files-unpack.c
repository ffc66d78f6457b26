// Archives to disk: layers, files for a container, and saved images.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/statvfs.h>
#include <unistd.h>

static struct tree new_tree(const struct options *options, enum tree_kind kind) {
  return (struct tree){
    .kind = kind,
    .has_owner = options->has_owner,
    .uid = options->owner_uid,
    .gid = options->owner_gid,
    .no_overwrite = options->no_overwrite,
    .max_bytes = options->max_bytes,
    .max_entries = options->max_entries,
  };
}

static void unpack_all(struct source *source, struct tree *tree) {
  struct archive_entry *entry;
  while ((entry = next_entry(source)) != NULL) tree_add(tree, source_archive(source), entry);
  finish_source(source);
  tree_finish(tree);
}

// A layer into an empty folder, in the form that overlayfs takes.
void mode_unpack(struct options *options) {
  if (options->into == NULL) fail("invalid", "--into is missing");
  struct source *source = open_source(options);
  int folder = open(options->into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail_errno("open", options->into);
  enter_folder(options->into);
  struct tree tree = new_tree(options, TREE_LAYER);
  unpack_all(source, &tree);
  if (options->sync && syncfs(folder) < 0) fail_errno("sync", options->into);
  fputc('{', stderr);
  report_source(stderr, source);
  fprintf(stderr, ",\"size\":%llu,\"entries\":%llu}\n", (unsigned long long)tree.bytes, (unsigned long long)tree.entries);
}

static uint64_t mount_of(int fd) {
  struct statx info;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) < 0) return 0;
  return info.stx_mnt_id;
}

static void refuse_read_only(int folder) {
  struct statvfs info;
  if (fstatvfs(folder, &info) < 0 || (info.f_flag & ST_RDONLY) == 0) return;
  int root = open_inside("/", O_PATH | O_DIRECTORY);
  bool is_root = mount_of(folder) == mount_of(root);
  if (is_root) fail("read-only-rootfs", "container rootfs is marked read-only");
  fail("read-only-volume", "mounted volume is marked read-only");
}

// Files into a folder of a container.
void mode_write(struct options *options) {
  if (options->path == NULL) fail("invalid", "--path is missing");
  struct source *source = open_source(options);
  enter_root(options, true);
  int folder = open_inside(options->path, O_RDONLY | O_DIRECTORY);
  if (folder < 0 && errno == ENOTDIR) fail("not-directory", "extraction point is not a directory");
  if (folder < 0) fail_errno("open", options->path);
  refuse_read_only(folder);
  // Links in the archive may lead anywhere inside the container, not only inside the folder: so the folder is the root
  // of names, and the container the root of links.
  char path[8192];
  if (!path_of(folder, path, sizeof path)) fail("io", "%s has no path", options->path);
  if (fchdir(folder) < 0) fail_errno("chdir", options->path);
  struct tree tree = new_tree(options, TREE_PLAIN);
  unpack_all(source, &tree);
  fprintf(stderr, "{\"size\":%llu,\"entries\":%llu}\n", (unsigned long long)tree.bytes, (unsigned long long)tree.entries);
}

static void write_all(int fd, const void *bytes, size_t length, off_t offset) {
  while (length > 0) {
    ssize_t written = pwrite(fd, bytes, length, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("write", "file");
    bytes = (const char *)bytes + written;
    length -= (size_t)written;
    offset += written;
  }
}

// One file of a saved image goes under a number, so that its name means nothing to the disk.
static void split_file(struct archive *archive, struct archive_entry *entry, unsigned long long number) {
  char name[32];
  snprintf(name, sizeof name, "%llu", number);
  int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail_errno("open", name);
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
  const void *block;
  size_t length;
  la_int64_t offset, at = 0, flushed = 0;
  int result;
  while ((result = archive_read_data_block(archive, &block, &length, &offset)) == ARCHIVE_OK) {
    if (offset != at) fail("malformed", "%s has holes", archive_entry_pathname(entry));
    write_all(file, block, length, offset);
    EVP_DigestUpdate(hash, block, length);
    at += (la_int64_t)length;
    if (at - flushed < 16 * 1024 * 1024) continue;
    sync_file_range(file, flushed, 0, SYNC_FILE_RANGE_WRITE);
    flushed = at;
  }
  if (result != ARCHIVE_EOF) fail_archive(archive);
  if (at != archive_entry_size(entry)) fail("malformed", "%s is cut off", archive_entry_pathname(entry));
  char digest[72];
  digest_text(hash, digest);
  EVP_MD_CTX_free(hash);
  if (fdatasync(file) < 0 || close(file) < 0) fail_errno("sync", name);
  printf(",\"file\":%llu,\"size\":%lld,\"digest\":\"%s\"", number, (long long)at, digest);
}

// A saved image into numbered files; standard output says what each of them was: a line of JSON each.
void mode_split(struct options *options) {
  if (options->into == NULL) fail("invalid", "--into is missing");
  struct options unhashed = *options;
  unhashed.no_hash = true;
  struct source *source = open_source(&unhashed);
  enter_folder(options->into);
  struct archive_entry *entry;
  unsigned long long number = 0;
  while ((entry = next_entry(source)) != NULL) {
    if (++number > options->max_entries) fail("limit", "more than %llu files", (unsigned long long)options->max_entries);
    printf("{\"path\":");
    json_string(stdout, archive_entry_pathname(entry));
    const char *link = archive_entry_hardlink(entry) ? archive_entry_hardlink(entry) : archive_entry_symlink(entry);
    if (link != NULL) {
      printf(",\"isHard\":%s,\"link\":", archive_entry_hardlink(entry) ? "true" : "false");
      json_string(stdout, link);
    } else if (archive_entry_filetype(entry) == AE_IFREG) split_file(source_archive(source), entry, number);
    printf("}\n");
  }
  finish_source(source);
  if (fflush(stdout) != 0) fail_errno("write", "output");
  fprintf(stderr, "{\"entries\":%llu}\n", number);
}

// The digest of a file, away from whoever has better things to do.
void mode_hash(struct options *options) {
  struct source *source = open_source(options);
  finish_source(source);
  fputc('{', stderr);
  report_source(stderr, source);
  fputs("}\n", stderr);
}

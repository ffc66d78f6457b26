// Archives to disk: layers, and files for a container.
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

// A layer into an empty folder, in the form that overlayfs takes; or plain files.
void mode_unpack(struct options *options) {
  if (options->into == NULL) fail("invalid", "--into is missing");
  struct source *source = open_source(options);
  struct digests *digests = options->digests == NULL ? NULL : open_digests(options->digests);
  enter_folder(options->into);
  struct tree tree = new_tree(options, options->plain ? TREE_PLAIN : TREE_LAYER);
  tree.clamps = options->plain;
  tree.digests = digests;
  unpack_all(source, &tree);
  if (digests != NULL) flush_digests(digests);
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

// The digest of a file, away from whoever has better things to do.
void mode_hash(struct options *options) {
  struct source *source = open_source(options);
  finish_source(source);
  fputc('{', stderr);
  report_source(stderr, source);
  fputs("}\n", stderr);
}

// What is in the files of a folder, kept beside it, so that nothing is read twice: one record for each file, by its
// number and by when it was changed last. The kernel moves that time with every change, whoever makes it; a file that
// has another one is read again.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_RECORDS 1000000
#define HELD_RECORDS 1024

struct record {
  uint64_t inode;
  int64_t size, mtime, mtime_nsec, ctime, ctime_nsec;
  unsigned char digest[DIGEST_BYTES];  // only zeros: not known
};

struct digests {
  int file;
  struct record *records;
  size_t count;
  uint32_t *table;  // places of records, one more than they are; 0: free
  size_t table_size;
  struct record held[HELD_RECORDS];  // not written yet
  size_t held_count;
};

static size_t slot_of(const struct digests *digests, uint64_t inode) {
  size_t slot = (size_t)(inode * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (digests->table_size - 1);
  while (digests->table[slot] != 0 && digests->records[digests->table[slot] - 1].inode != inode) slot = (slot + 1) & (digests->table_size - 1);
  return slot;
}

static void read_records(struct digests *digests, size_t bytes) {
  digests->records = malloc(bytes);
  if (digests->records == NULL) return;
  for (size_t done = 0; done < bytes;) {
    ssize_t count = pread(digests->file, (char *)digests->records + done, bytes - done, (off_t)done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += (size_t)count;
  }
  size_t count = bytes / sizeof(struct record);
  digests->table_size = 64;
  while (digests->table_size < 2 * count) digests->table_size *= 2;
  digests->table = calloc(digests->table_size, sizeof *digests->table);
  if (digests->table == NULL) return;
  // A later one of the same number is right.
  for (size_t at = 0; at < count; at++) digests->table[slot_of(digests, digests->records[at].inode)] = (uint32_t)at + 1;
  digests->count = count;
}

struct digests *open_digests(const char *path) {
  struct digests *digests = calloc(1, sizeof *digests);
  if (digests == NULL) fail("limit", "out of memory");
  digests->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (digests->file < 0) fail_errno("open", path);
  struct stat info;
  if (fstat(digests->file, &info) < 0) fail_errno("stat", path);
  // One that is full, or was cut off, begins anew.
  bool is_whole = info.st_size % (off_t)sizeof(struct record) == 0;
  if (!is_whole || info.st_size >= (off_t)(MAX_RECORDS * sizeof(struct record))) {
    if (ftruncate(digests->file, 0) < 0) fail_errno("truncate", path);
  } else if (info.st_size > 0) read_records(digests, (size_t)info.st_size);
  return digests;
}

static bool is_of(const struct record *record, const struct stat *info) {
  return record->size == info->st_size && record->mtime == info->st_mtim.tv_sec && record->mtime_nsec == info->st_mtim.tv_nsec &&
         record->ctime == info->st_ctim.tv_sec && record->ctime_nsec == info->st_ctim.tv_nsec;
}

const unsigned char *find_digest(const struct digests *digests, const struct stat *info) {
  static const unsigned char unknown[DIGEST_BYTES];
  if (digests == NULL || digests->count == 0) return NULL;
  uint32_t place = digests->table[slot_of(digests, (uint64_t)info->st_ino)];
  if (place == 0 || !is_of(&digests->records[place - 1], info)) return NULL;
  const unsigned char *digest = digests->records[place - 1].digest;
  return memcmp(digest, unknown, DIGEST_BYTES) == 0 ? NULL : digest;
}

void add_digest(struct digests *digests, const struct stat *info, const unsigned char *digest) {
  if (digests->held_count == HELD_RECORDS) flush_digests(digests);
  struct record *record = &digests->held[digests->held_count++];
  *record = (struct record){
    .inode = (uint64_t)info->st_ino, .size = info->st_size,
    .mtime = info->st_mtim.tv_sec, .mtime_nsec = info->st_mtim.tv_nsec,
    .ctime = info->st_ctim.tv_sec, .ctime_nsec = info->st_ctim.tv_nsec,
  };
  if (digest != NULL) memcpy(record->digest, digest, DIGEST_BYTES);
}

// All of them at once: others may write here, too.
void flush_digests(struct digests *digests) {
  size_t bytes = digests->held_count * sizeof(struct record);
  digests->held_count = 0;
  if (bytes == 0) return;
  ssize_t written;
  do written = write(digests->file, digests->held, bytes);
  while (written < 0 && errno == EINTR);
  if (written < 0 || (size_t)written != bytes) fail_errno("write", "digests");
}

void hash_xattrs(EVP_MD_CTX *hash, int fd) {
  char names[65536], value[65536];
  ssize_t length = flistxattr(fd, names, sizeof names);
  for (char *name = names; length > 0 && name < names + length; name += strlen(name) + 1) {
    if (strncmp(name, "user.overlay.", 13) == 0) continue;
    if (strncmp(name, "user.", 5) != 0 && strcmp(name, "security.capability") != 0) continue;
    ssize_t size = fgetxattr(fd, name, value, sizeof value);
    if (size < 0) continue;
    EVP_DigestUpdate(hash, name, strlen(name) + 1);
    EVP_DigestUpdate(hash, &size, sizeof size);
    EVP_DigestUpdate(hash, value, (size_t)size);
  }
}

void finish_file_digest(EVP_MD_CTX *hash, int file, unsigned char digest[DIGEST_BYTES]) {
  hash_xattrs(hash, file);
  if (EVP_DigestFinal_ex(hash, digest, NULL) != 1) fail("io", "no sha256");
}

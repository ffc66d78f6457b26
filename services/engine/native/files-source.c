// An archive from standard input in one pass: its bytes are hashed and kept as they come, unpacked (gzip, zstd, xz,
// bzip2 or nothing), hashed again, and read as tar.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE (1024 * 1024)
#define TELL_SIZE (1024 * 1024)

struct source {
  struct archive *packed;    // takes gzip and the like off
  struct archive *archive;   // tar
  struct archive_entry *entry;
  EVP_MD_CTX *raw_hash, *plain_hash;
  enum hashing hashing;
  bool tells, is_plain, is_empty, ended;
  int blob, followed;
  uint64_t raw_bytes, plain_bytes, max_bytes, told, written;
  char *buffer;
};

void fail_archive(struct archive *archive) {
  const char *message = archive_error_string(archive);
  fail("malformed", "%s", message == NULL ? "damaged archive" : message);
}

static EVP_MD_CTX *new_hash(void) {
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  if (hash == NULL || EVP_DigestInit_ex(hash, EVP_sha256(), NULL) != 1) fail("io", "no sha256");
  return hash;
}

void digest_text(EVP_MD_CTX *context, char into[72]) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_DigestFinal_ex(context, digest, &length);
  strcpy(into, "sha256:");
  for (unsigned int i = 0; i < length; i++) sprintf(into + 7 + 2 * i, "%02x", digest[i]);
}

static void keep(struct source *source, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(source->blob, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("write", "blob");
    bytes += written;
    length -= (size_t)written;
  }
}

static void tell_progress(struct source *source) {
  if (source->raw_bytes - source->told < TELL_SIZE) return;
  printf("%llu\n", (unsigned long long)source->raw_bytes);
  fflush(stdout);
  source->told = source->raw_bytes;
}

// From a file that is still being written: standard input says how long it is by now.
static ssize_t read_followed(struct source *source) {
  while (source->written == source->raw_bytes) {
    ssize_t count = read(STDIN_FILENO, &source->written, sizeof source->written);
    if (count <= 0) return count;
    if (count != sizeof source->written) fail("io", "half a number came");
  }
  uint64_t left = source->written - source->raw_bytes;
  return pread(source->followed, source->buffer, left < READ_SIZE ? left : READ_SIZE, (off_t)source->raw_bytes);
}

static la_ssize_t read_raw(struct archive *archive, void *data, const void **block) {
  (void)archive;
  struct source *source = data;
  ssize_t count;
  do count = source->followed > 0 ? read_followed(source) : read(STDIN_FILENO, source->buffer, READ_SIZE);
  while (count < 0 && errno == EINTR);
  if (count < 0) fail_errno("read", "input");
  if (count == 0) {
    source->ended = true;
    return 0;
  }
  source->raw_bytes += (uint64_t)count;
  if (source->raw_bytes > source->max_bytes) fail("limit", "more than %llu bytes", (unsigned long long)source->max_bytes);
  if (source->tells) tell_progress(source);
  if (source->hashing == HASH_ALL) EVP_DigestUpdate(source->raw_hash, source->buffer, (size_t)count);
  if (source->blob >= 0) keep(source, source->buffer, (size_t)count);
  *block = source->buffer;
  return count;
}

static la_ssize_t read_plain(struct archive *archive, void *data, const void **block) {
  (void)archive;
  struct source *source = data;
  if (source->is_empty) return 0;
  size_t length = 0;
  la_int64_t offset;
  int result = archive_read_data_block(source->packed, block, &length, &offset);
  if (result == ARCHIVE_EOF) return 0;
  if (result != ARCHIVE_OK) fail_archive(source->packed);
  source->plain_bytes += length;
  if (source->plain_bytes > source->max_bytes) fail("limit", "more than %llu bytes", (unsigned long long)source->max_bytes);
  if (source->hashing != HASH_NOTHING && !source->is_plain) EVP_DigestUpdate(source->plain_hash, *block, length);
  return (la_ssize_t)length;
}

static void open_packed(struct source *source) {
  source->packed = archive_read_new();
  archive_read_support_format_raw(source->packed);
  archive_read_support_format_empty(source->packed);
  archive_read_support_filter_gzip(source->packed);
  archive_read_support_filter_zstd(source->packed);
  archive_read_support_filter_xz(source->packed);
  archive_read_support_filter_bzip2(source->packed);
  struct archive_entry *whole;
  if (archive_read_open(source->packed, source, NULL, read_raw, NULL) != ARCHIVE_OK) fail_archive(source->packed);
  int result = archive_read_next_header(source->packed, &whole);
  source->is_empty = result == ARCHIVE_EOF;
  if (source->is_empty) return;
  if (result != ARCHIVE_OK) fail_archive(source->packed);
  source->is_plain = archive_filter_code(source->packed, 0) == ARCHIVE_FILTER_NONE;
}

struct source *open_source(struct options *options) {
  struct source *source = calloc(1, sizeof *source);
  source->buffer = malloc(READ_SIZE);
  source->max_bytes = options->max_bytes;
  source->hashing = options->hashing;
  source->tells = options->progress;
  source->followed = options->followed;
  source->raw_hash = new_hash();
  source->plain_hash = new_hash();
  source->blob = -1;
  source->entry = archive_entry_new();
  if (options->blob != NULL) {
    source->blob = open(options->blob, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (source->blob < 0) fail_errno("open", options->blob);
  }
  fcntl(STDIN_FILENO, F_SETPIPE_SZ, READ_SIZE);
  return source;
}

struct archive *source_archive(struct source *source) {
  if (source->archive != NULL) return source->archive;
  open_packed(source);
  source->archive = archive_read_new();
  archive_read_support_format_tar(source->archive);
  // Nothing at all is an archive of nothing.
  archive_read_support_format_empty(source->archive);
  if (archive_read_open(source->archive, source, NULL, read_plain, NULL) != ARCHIVE_OK) fail_archive(source->archive);
  return source->archive;
}

struct archive_entry *next_entry(struct source *source) {
  struct archive *archive = source_archive(source);
  int result = archive_read_next_header2(archive, source->entry);
  if (result == ARCHIVE_EOF) return NULL;
  // A warning is about names in other character sets; the names themselves are whole.
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail_archive(archive);
  if (archive_entry_pathname(source->entry) == NULL) fail("malformed", "an entry has no name");
  return source->entry;
}

void finish_source(struct source *source) {
  const void *block;
  if (source->packed != NULL)
    while (read_plain(NULL, source, &block) > 0) {}
  while (!source->ended && read_raw(NULL, source, &block) > 0) {}
  if (source->blob >= 0 && close(source->blob) < 0) fail_errno("close", "blob");
}

void report_source(FILE *to, struct source *source) {
  char digest[72] = "", diff_id[72] = "";
  if (source->hashing == HASH_ALL) digest_text(source->raw_hash, digest);
  if (source->is_plain) strcpy(diff_id, digest);
  else digest_text(source->plain_hash, diff_id);
  fprintf(to, "\"diffId\":\"%s\",\"digest\":\"%s\",\"bytes\":%llu", diff_id, digest, (unsigned long long)source->raw_bytes);
}

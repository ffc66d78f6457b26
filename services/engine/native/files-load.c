// A saved image in one pass. Each of its files goes under a number, so that its name means nothing to the disk; what
// may be a layer is unpacked at the same time, by a process of its own: whatever is wrong with it ends that one alone.
// Standard output says what each file was: a line of JSON each.
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPORT_SIZE 1024
#define LEAST_LAYER_BYTES 512
// More than any image has. What comes after them is unpacked later, when it is known for a layer.
#define MAX_LAYERS 1000

// The process that unpacks a layer from the file it is written to, and our ends of the pipes: it hears how long the
// file is, and reports.
struct unpacker {
  pid_t pid;
  int lengths, report;
};

static pid_t unpacking;
static int layers;

// Nothing may write into a folder that is about to be removed.
static void end_unpacking(void) {
  if (unpacking <= 0) return;
  kill(unpacking, SIGKILL);
  waitpid(unpacking, NULL, 0);
}

_Noreturn static void unpack_layer(const struct options *options, int file, const char *folder, pid_t parent) {
  before_failing = NULL;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  struct options layer = {
    .into = folder,
    .followed = file,
    .hashing = HASH_CONTENT,
    .max_entries = options->max_entries,
    .max_bytes = options->max_bytes,
  };
  mode_unpack(&layer);
  fflush(stderr);
  _exit(0);
}

static struct unpacker start_unpacker(const struct options *options, int file, unsigned long long number) {
  char made[40], folder[48];
  snprintf(made, sizeof made, "%llu.layer", number);
  snprintf(folder, sizeof folder, "%s/diff", made);
  if (mkdir(made, 0700) < 0 || mkdir(folder, 0755) < 0) fail_errno("mkdir", made);
  int lengths[2], report[2];
  if (pipe2(lengths, O_CLOEXEC) < 0 || pipe2(report, O_CLOEXEC) < 0) fail_errno("pipe", made);
  pid_t parent = getpid();
  unpacking = fork();
  if (unpacking < 0) fail_errno("fork", made);
  if (unpacking == 0) {
    if (dup2(lengths[0], STDIN_FILENO) < 0 || dup2(report[1], STDERR_FILENO) < 0) _exit(1);
    close(lengths[0]);
    close(lengths[1]);
    close(report[0]);
    close(report[1]);
    unpack_layer(options, file, folder, parent);
  }
  close(lengths[0]);
  close(report[1]);
  return (struct unpacker){.pid = unpacking, .lengths = lengths[1], .report = report[0]};
}

static void tell_length(struct unpacker *unpacker, uint64_t length) {
  ssize_t written;
  do written = unpacker->lengths < 0 ? 0 : write(unpacker->lengths, &length, sizeof length);
  while (written < 0 && errno == EINTR);
  if (written >= 0) return;
  if (errno != EPIPE) fail_errno("write", "layer");
  // It is no layer, or a bad one: whoever wants it as one will hear why.
  close(unpacker->lengths);
  unpacker->lengths = -1;
}

// What the unpacker says of the layer goes into the line of its file; of one that failed nothing is said.
static void finish_unpacker(struct unpacker *unpacker) {
  char report[REPORT_SIZE];
  size_t length = 0;
  ssize_t count;
  if (unpacker->lengths >= 0) close(unpacker->lengths);
  while (length < sizeof report - 1 && (count = read(unpacker->report, report + length, sizeof report - 1 - length)) != 0) {
    if (count < 0 && errno != EINTR) fail_errno("read", "report");
    if (count > 0) length += (size_t)count;
  }
  report[length] = '\0';
  close(unpacker->report);
  int status = 1;
  while (waitpid(unpacker->pid, &status, 0) < 0 && errno == EINTR) {}
  unpacking = 0;
  char *end = strchr(report, '\n');
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || end == NULL) return;
  *end = '\0';
  printf(",\"layer\":%s", report);
}

static void write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("write", "file");
    bytes += written;
    length -= (size_t)written;
  }
}

// Documents of images are JSON; a tar begins with a name, and what is packed with bytes of its own.
static bool may_be_layer(struct archive_entry *entry, const char *bytes, size_t length) {
  return length > 0 && archive_entry_size(entry) >= LEAST_LAYER_BYTES && strchr("{[ \t\r\n", *bytes) == NULL && layers < MAX_LAYERS;
}

static void load_file(const struct options *options, struct archive *archive, struct archive_entry *entry, unsigned long long number) {
  char name[32], digest[72];
  snprintf(name, sizeof name, "%llu", number);
  int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail_errno("open", name);
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
  struct unpacker unpacker = {.pid = 0, .lengths = -1, .report = -1};
  const void *block;
  size_t length;
  la_int64_t offset, at = 0;
  int result;
  while ((result = archive_read_data_block(archive, &block, &length, &offset)) == ARCHIVE_OK) {
    if (offset != at) fail("malformed", "%s has holes", archive_entry_pathname(entry));
    if (at == 0 && may_be_layer(entry, block, length)) {
      unpacker = start_unpacker(options, file, number);
      layers++;
    }
    write_all(file, block, length);
    at += (la_int64_t)length;
    tell_length(&unpacker, (uint64_t)at);
    EVP_DigestUpdate(hash, block, length);
  }
  if (result != ARCHIVE_EOF) fail_archive(archive);
  if (at != archive_entry_size(entry)) fail("malformed", "%s is cut off", archive_entry_pathname(entry));
  digest_text(hash, digest);
  EVP_MD_CTX_free(hash);
  if (close(file) < 0) fail_errno("close", name);
  printf(",\"file\":%llu,\"size\":%lld,\"digest\":\"%s\"", number, (long long)at, digest);
  if (unpacker.pid > 0) finish_unpacker(&unpacker);
}

void mode_load(struct options *options) {
  if (options->into == NULL) fail("invalid", "--into is missing");
  options->hashing = HASH_NOTHING;
  struct source *source = open_source(options);
  // No name of the archive is ever a path here.
  if (chdir(options->into) < 0) fail_errno("chdir", options->into);
  signal(SIGPIPE, SIG_IGN);
  before_failing = end_unpacking;
  struct archive_entry *entry;
  unsigned long long number = 0;
  while ((entry = next_entry(source)) != NULL) {
    if (++number > options->max_files) fail("limit", "more than %llu files", (unsigned long long)options->max_files);
    printf("{\"path\":");
    json_string(stdout, archive_entry_pathname(entry));
    const char *link = archive_entry_hardlink(entry) ? archive_entry_hardlink(entry) : archive_entry_symlink(entry);
    if (link != NULL) {
      printf(",\"isHard\":%s,\"link\":", archive_entry_hardlink(entry) ? "true" : "false");
      json_string(stdout, link);
    } else if (archive_entry_filetype(entry) == AE_IFREG) load_file(options, source_archive(source), entry, number);
    printf("}\n");
  }
  finish_source(source);
  if (fflush(stdout) != 0) fail_errno("write", "output");
  fprintf(stderr, "{\"entries\":%llu}\n", number);
}

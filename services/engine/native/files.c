// Everything the engine does inside root file systems and layers, in a process of its own: it unpacks and packs
// layers, reads and writes files of containers, and looks at what changed. It goes into a chroot first, so that no link
// in an archive or an image leads anywhere else.
#include "files.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

void json_string(FILE *to, const char *text) {
  fputc('"', to);
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    if (*at == '"' || *at == '\\') fprintf(to, "\\%c", *at);
    else if (*at < 0x20) fprintf(to, "\\u%04x", *at);
    else fputc(*at, to);
  }
  fputc('"', to);
}

void (*before_failing)(void);

void fail(const char *kind, const char *format, ...) {
  char message[8192];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  fprintf(stderr, "{\"error\":\"%s\",\"message\":", kind);
  json_string(stderr, message);
  fputs("}\n", stderr);
  fflush(stderr);
  if (before_failing != NULL) before_failing();
  _exit(1);
}

void fail_errno(const char *what, const char *path) {
  int error = errno;
  const char *kind = error == ENOENT ? "not-found" : error == ENOTDIR ? "not-directory" : error == EROFS ? "read-only-rootfs" : "io";
  if (error == ENOSPC || error == EDQUOT) kind = "no-space";
  // A name or a size that was asked for, and that no file can have.
  if (error == ENAMETOOLONG || error == EFBIG) kind = "limit";
  // Clients know these words as Go writes them.
  char words[256];
  snprintf(words, sizeof words, "%s", strerror(error));
  if (islower((unsigned char)words[1])) words[0] = (char)tolower((unsigned char)words[0]);
  fail(kind, "%s %s: %s", what, path, words);
}

static const char *value(int argc, char **argv, int *at) {
  if (++*at >= argc) fail("invalid", "%s needs a value", argv[*at - 1]);
  return argv[*at];
}

static void read_bind(struct options *options, int argc, char **argv, int *at) {
  if (options->bind_count == MAX_BINDS) fail("limit", "more than %d mounts", MAX_BINDS);
  struct bind *bind = &options->binds[options->bind_count++];
  bind->source = value(argc, argv, at);
  bind->destination = value(argc, argv, at);
  bind->read_only = strcmp(value(argc, argv, at), "ro") == 0;
}

static bool read_flag(struct options *options, const char *name) {
  if (strcmp(name, "--read-only") == 0) options->read_only = true;
  else if (strcmp(name, "--no-overwrite") == 0) options->no_overwrite = true;
  else if (strcmp(name, "--plain") == 0) options->plain = true;
  else if (strcmp(name, "--progress") == 0) options->progress = true;
  else if (strcmp(name, "--keep-owner") == 0) options->keep_owner = true;
  else if (strcmp(name, "--unpack") == 0) options->unpacks = true;
  else return false;
  return true;
}

static void read_options(struct options *options, int argc, char **argv) {
  const struct { const char *name; const char **place; } texts[] = {
    {"--into", &options->into}, {"--from", &options->from}, {"--out", &options->out},     {"--blob", &options->blob},
    {"--path", &options->path}, {"--name", &options->name}, {"--upper", &options->upper}, {"--work", &options->work},
    {"--source", &options->source}, {"--digests", &options->digests}, {"--mode", &options->file_mode},
  };
  for (int at = 2; at < argc; at++) {
    if (read_flag(options, argv[at])) continue;
    bool found = false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !found; i++) {
      if (strcmp(argv[at], texts[i].name) != 0) continue;
      *texts[i].place = value(argc, argv, &at);
      found = true;
    }
    if (found) continue;
    if (strcmp(argv[at], "--lower") == 0) {
      if (options->lower_count == MAX_LOWER) fail("limit", "more than %d layers", MAX_LOWER);
      options->lower[options->lower_count++] = value(argc, argv, &at);
    } else if (strcmp(argv[at], "--source-lower") == 0) {
      if (options->source_lower_count == MAX_LOWER) fail("limit", "more than %d layers", MAX_LOWER);
      options->source_lower[options->source_lower_count++] = value(argc, argv, &at);
    } else if (strcmp(argv[at], "--epoch") == 0) options->epoch = strtoll(value(argc, argv, &at), NULL, 10);
    else if (strcmp(argv[at], "--bind") == 0) read_bind(options, argc, argv, &at);
    else if (strcmp(argv[at], "--owner") == 0) {
      options->has_owner = true;
      options->owner_uid = (uid_t)strtoul(value(argc, argv, &at), NULL, 10);
      options->owner_gid = (gid_t)strtoul(value(argc, argv, &at), NULL, 10);
    } else if (strcmp(argv[at], "--pid") == 0) options->pid = atoi(value(argc, argv, &at));
    else if (strcmp(argv[at], "--max-entries") == 0) options->max_entries = strtoull(value(argc, argv, &at), NULL, 10);
    else if (strcmp(argv[at], "--max-bytes") == 0) options->max_bytes = strtoull(value(argc, argv, &at), NULL, 10);
    else fail("invalid", "unknown option %s", argv[at]);
  }
}

// Character tables are read from disk when they are first needed: that must not happen inside a foreign root.
static void load_character_tables(void) {
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) setlocale(LC_CTYPE, "C");
  const char *pairs[][2] = {{"UTF-8", "ANSI_X3.4-1968"}, {"ANSI_X3.4-1968", "UTF-8"}, {"UTF-8", "UTF-8"}, {"UTF-16BE", "UTF-8"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    iconv_t table = iconv_open(pairs[i][0], pairs[i][1]);
    if (table != (iconv_t)-1) iconv_close(table);
  }
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_DigestInit_ex(context, EVP_sha256(), NULL);
  EVP_MD_CTX_free(context);
}

#ifdef __SANITIZE_ADDRESS__
// It ends with what it has; and where it ends, in a root of its own, nobody could look for what was lost.
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif

int main(int argc, char **argv) {
  static struct options options = {.max_entries = 10000000, .max_bytes = UINT64_C(1) << 42, .max_files = 100000};
  if (argc < 2) fail("invalid", "no mode");
  // The engine's end is ours.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  options.mode = argv[1];
  read_options(&options, argc, argv);
  load_character_tables();
  umask(0);
  const struct { const char *name; void (*run)(struct options *); } modes[] = {
    {"unpack", mode_unpack}, {"write", mode_write},   {"load", mode_load},       {"hash", mode_hash}, {"pack", mode_pack},
    {"read", mode_read},     {"stat", mode_stat},     {"changes", mode_changes}, {"size", mode_size},
    {"copy", mode_copy},     {"digest", mode_digest}, {"list", mode_list},
  };
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(options.mode, modes[i].name) != 0) continue;
    modes[i].run(&options);
    return 0;
  }
  fail("invalid", "unknown mode %s", options.mode);
}

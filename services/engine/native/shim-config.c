// Reads the shim's configuration: `key=value` records, each ended by a NUL byte, so that a path may hold anything.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_CONFIG_BYTES = 4 * 1024 * 1024 };

struct config config = {.log_files = 1, .runtime_ms = 30000, .client_ms = 300000};

static const struct {
  const char *key;
  const char **value;
} texts[] = {
    {"folder", &config.folder}, {"id", &config.id},       {"runtime", &config.runtime},
    {"root", &config.root},     {"bundle", &config.bundle}, {"process", &config.process},
    {"upper", &config.upper},   {"work", &config.work},   {"log", &config.log},
};

static int set_number(const char *key, int64_t number) {
  if (strcmp(key, "tty") == 0) config.tty = number != 0;
  else if (strcmp(key, "stdin") == 0) config.open_stdin = number != 0;
  else if (strcmp(key, "stdin-once") == 0) config.stdin_once = number != 0;
  else if (strcmp(key, "rows") == 0) config.rows = (unsigned short)number;
  else if (strcmp(key, "columns") == 0) config.columns = (unsigned short)number;
  else if (strcmp(key, "log-bytes") == 0) config.log_bytes = number;
  else if (strcmp(key, "log-files") == 0) config.log_files = (int)number;
  else if (strcmp(key, "runtime-ms") == 0) config.runtime_ms = number;
  else if (strcmp(key, "client-ms") == 0) config.client_ms = number;
  else return -1;
  return 0;
}

static int set(const char *key, const char *value) {
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strcmp(key, texts[i].key) != 0) continue;
    *texts[i].value = value;
    return 0;
  }
  if (strcmp(key, "lower") == 0) {
    if (config.lower_count == MAX_LOWER) return -1;
    config.lower[config.lower_count++] = value;
    return 0;
  }
  char *end;
  errno = 0;
  long long number = strtoll(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || number < 0) return -1;
  return set_number(key, number);
}

static char *read_whole(const char *path, size_t *length) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  struct stat status;
  char *text = NULL;
  if (fstat(fd, &status) == 0 && status.st_size > 0 && status.st_size <= MAX_CONFIG_BYTES)
    text = malloc((size_t)status.st_size + 1);
  size_t filled = 0;
  while (text != NULL && filled < (size_t)status.st_size) {
    ssize_t n = read(fd, text + filled, (size_t)status.st_size - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += (size_t)n;
  }
  close(fd);
  if (text != NULL) text[filled] = '\0';
  *length = filled;
  return text;
}

int read_config(const char *path) {
  size_t length = 0;
  char *text = read_whole(path, &length);
  if (text == NULL) return -1;
  for (char *at = text; at < text + length; at += strlen(at) + 1) {
    char *equals = strchr(at, '=');
    if (equals == NULL) return -1;
    *equals = '\0';
    if (set(at, equals + 1) < 0) return -1;
    at = equals + 1;
  }
  bool complete = config.folder && config.id && config.runtime && config.root;
  bool has_program = is_exec ? config.process != NULL : config.bundle != NULL;
  bool has_rootfs = is_exec || (config.lower_count > 0 && config.upper != NULL && config.work != NULL);
  return complete && has_program && has_rootfs ? 0 : -1;
}

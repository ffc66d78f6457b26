// Reads the shim's configuration: `key=value` records, each ended by a NUL byte, so that a path may hold anything. That of
// an exec comes over its control connection.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_CONFIG_BYTES = 32 * 1024 * 1024, RECEIVE_MS = 10000 };

struct config config = {.log_files = 1, .runtime_ms = 30000, .client_ms = 300000, .program.umask = 022};

static const struct {
  const char *key;
  const char **value;
} texts[] = {
    {"folder", &config.folder}, {"id", &config.id},       {"runtime", &config.runtime},
    {"root", &config.root},     {"bundle", &config.bundle}, {"process", &config.process},
    {"upper", &config.upper},   {"work", &config.work},   {"log", &config.log},
    {"cwd", &config.program.cwd}, {"seccomp", &config.program.seccomp},
};

static const struct {
  const char *key;
  uint64_t *value;
} capabilities[] = {
    {"cap-bounding", &config.program.bounding},       {"cap-effective", &config.program.effective},
    {"cap-permitted", &config.program.permitted},     {"cap-inheritable", &config.program.inheritable},
    {"cap-ambient", &config.program.ambient},
};

static const struct {
  const char *name;
  int type;
} limit_types[] = {
    {"CPU", RLIMIT_CPU},         {"FSIZE", RLIMIT_FSIZE},   {"DATA", RLIMIT_DATA},     {"STACK", RLIMIT_STACK},
    {"CORE", RLIMIT_CORE},       {"RSS", RLIMIT_RSS},       {"NPROC", RLIMIT_NPROC},   {"NOFILE", RLIMIT_NOFILE},
    {"MEMLOCK", RLIMIT_MEMLOCK}, {"AS", RLIMIT_AS},         {"LOCKS", RLIMIT_LOCKS},   {"SIGPENDING", RLIMIT_SIGPENDING},
    {"MSGQUEUE", RLIMIT_MSGQUEUE}, {"NICE", RLIMIT_NICE},   {"RTPRIO", RLIMIT_RTPRIO}, {"RTTIME", RLIMIT_RTTIME},
};

static int set_program(const char *key, int64_t number) {
  struct program *program = &config.program;
  for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++) {
    if (strcmp(key, capabilities[i].key) != 0) continue;
    *capabilities[i].value = (uint64_t)number;
    return 0;
  }
  if (strcmp(key, "native") == 0) program->is_native = number != 0;
  else if (strcmp(key, "uid") == 0) program->uid = (uid_t)number;
  else if (strcmp(key, "gid") == 0) program->gid = (gid_t)number;
  else if (strcmp(key, "umask") == 0) program->umask = (mode_t)number;
  else if (strcmp(key, "no-new-privileges") == 0) program->no_new_privileges = number != 0;
  else return -1;
  return 0;
}

static int set_number(const char *key, int64_t number) {
  if (strcmp(key, "tty") == 0) config.tty = number != 0;
  else if (strcmp(key, "stdin") == 0) config.open_stdin = number != 0;
  else if (strcmp(key, "stdin-once") == 0) config.stdin_once = number != 0;
  else if (strcmp(key, "rows") == 0) config.rows = (unsigned short)number;
  else if (strcmp(key, "columns") == 0) config.columns = (unsigned short)number;
  else if (strcmp(key, "log-bytes") == 0) config.log_bytes = number;
  else if (strcmp(key, "log-files") == 0) config.log_files = (int)number;
  else if (strcmp(key, "log-compress") == 0) config.log_compress = number != 0;
  else if (strcmp(key, "log-buffer") == 0) config.log_buffer = number;
  else if (strcmp(key, "runtime-ms") == 0) config.runtime_ms = number;
  else if (strcmp(key, "client-ms") == 0) config.client_ms = number;
  else return set_program(key, number);
  return 0;
}

static size_t arg_count, env_count;

// The list ends with NULL.
static int add_text(char ***list, size_t *count, const char *value) {
  bool is_full = (*count & (*count + 1)) == 0; // grown to the next power of two
  char **grown = is_full ? realloc(*list, (2 * *count + 2) * sizeof **list) : *list;
  if (grown == NULL) return -1;
  grown[(*count)++] = (char *)value;
  grown[*count] = NULL;
  *list = grown;
  return 0;
}

static int add_group(const char *value) {
  struct program *program = &config.program;
  gid_t *grown = realloc(program->groups, (program->group_count + 1) * sizeof *grown);
  if (grown == NULL) return -1;
  program->groups = grown;
  grown[program->group_count++] = (gid_t)strtoul(value, NULL, 10);
  return 0;
}

// `NOFILE:1024:4096`; a number that is too large is none.
static int add_limit(const char *value) {
  struct program *program = &config.program;
  const char *colon = strchr(value, ':');
  if (colon == NULL || program->limit_count == MAX_LIMITS) return -1;
  for (size_t i = 0; i < sizeof limit_types / sizeof limit_types[0]; i++) {
    const char *name = limit_types[i].name;
    if (strlen(name) != (size_t)(colon - value) || strncmp(value, name, strlen(name)) != 0) continue;
    char *end;
    struct limit limit = {.type = limit_types[i].type, .soft = strtoull(colon + 1, &end, 10)};
    if (*end != ':') return -1;
    limit.hard = strtoull(end + 1, NULL, 10);
    program->limits[program->limit_count++] = limit;
    return 0;
  }
  return -1;
}

static int set(const char *key, const char *value) {
  if (strcmp(key, "arg") == 0) return add_text(&config.program.args, &arg_count, value);
  if (strcmp(key, "env") == 0) return add_text(&config.program.env, &env_count, value);
  if (strcmp(key, "shared") == 0) return add_text(&config.shared, &config.shared_count, value);
  if (strcmp(key, "group") == 0) return add_group(value);
  if (strcmp(key, "limit") == 0) return add_limit(value);
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

static int parse(char *text, size_t length) {
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

int read_config(const char *path) {
  size_t length = 0;
  char *text = read_whole(path, &length);
  return text == NULL ? -1 : parse(text, length);
}

static int receive(int fd, void *into, size_t length) {
  for (int64_t until = now_ms() + RECEIVE_MS; length > 0;) {
    ssize_t n = read(fd, into, length);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || now_ms() > until) return -1;
    struct pollfd waited = {.fd = fd, .events = POLLIN};
    if (n < 0) poll(&waited, 1, RECEIVE_MS);
    else {
      into = (char *)into + n;
      length -= (size_t)n;
    }
  }
  return 0;
}

int receive_config(int fd) {
  unsigned char head[4];
  if (receive(fd, head, sizeof head) < 0) return -1;
  size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
  char *text = length > 0 && length <= MAX_CONFIG_BYTES ? malloc(length + 1) : NULL;
  if (text == NULL || receive(fd, text, length) < 0) return -1;
  text[length] = '\0';
  return parse(text, length);
}

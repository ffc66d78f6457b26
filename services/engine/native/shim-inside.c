// The new process on its way into the container, up to its program. What goes wrong is written to one descriptor.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS_FD = 3, JOIN_SESSION_KEYRING = 1 };

__attribute__((format(printf, 1, 2), noreturn)) void give_up(const char *format, ...) {
  char text[1024] = "exec failed: unable to start container process: ";
  size_t begin = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + begin, sizeof text - begin, format, arguments);
  va_end(arguments);
  if (write(WORDS_FD, text, strlen(text)) < 0) _exit(125);
  _exit(126);
}

static void reset_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int number = 1; number < NSIG; number++)
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
}

// Nothing of the host stays open: a working directory below /proc/self/fd would lead out of the container.
static void take_streams(const struct streams *streams) {
  if (dup2(streams->in, 0) < 0 || dup2(streams->out, 1) < 0 || dup2(streams->err, 2) < 0)
    give_up("cannot open the streams: %s", strerror(errno));
  if (syscall(SYS_close_range, WORDS_FD + 1, ~0U, 0) < 0) give_up("cannot close the host's files: %s", strerror(errno));
}

// The process may open its own streams again, whoever it is.
static void own_streams(void) {
  struct stat status;
  for (int fd = 0; fd <= 2; fd++)
    if (config.tty || (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)))
      if (fchown(fd, config.program.uid, config.tty ? (gid_t)-1 : config.program.gid) < 0) return;
}

static void set_limits(void) {
  for (size_t i = 0; i < config.program.limit_count; i++) {
    const struct limit *limit = &config.program.limits[i];
    struct rlimit value = {.rlim_cur = limit->soft, .rlim_max = limit->hard};
    if (setrlimit(limit->type, &value) < 0) give_up("error setting a limit: %s", strerror(errno));
  }
}

static int enter_folder(void) { return chdir(config.program.cwd == NULL ? "/" : config.program.cwd); }

// Also as the user alone: a folder may be closed to root on a file system of the network.
static void check_folder(bool is_there) {
  const char *cwd = config.program.cwd == NULL ? "/" : config.program.cwd;
  if (!is_there && enter_folder() < 0)
    give_up("chdir to cwd (\"%s\") set in config.json failed: %s", cwd, strerror(errno));
  char path[4096];
  if (getcwd(path, sizeof path) == NULL || path[0] != '/') give_up("the working directory is outside the container");
}

static const char *path_variable(void) {
  for (char **at = config.program.env; at != NULL && *at != NULL; at++)
    if (strncmp(*at, "PATH=", 5) == 0) return *at + 5;
  return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

static void try_program(const char *path, bool *denied) {
  static char *none[] = {NULL};
  execve(path, config.program.args, config.program.env == NULL ? none : config.program.env);
  if (errno == EACCES) *denied = true;
  else if (errno != ENOENT && errno != ENOTDIR) give_up("exec %s: %s", path, strerror(errno));
}

__attribute__((noreturn)) static void run_program(void) {
  const char *name = config.program.args[0];
  bool denied = false;
  if (strchr(name, '/') != NULL) {
    try_program(name, &denied);
    if (!denied) give_up("exec: \"%s\": stat %s: no such file or directory", name, name);
    give_up("exec: \"%s\": permission denied", name);
  }
  for (const char *at = path_variable(), *end; *name != '\0'; at = end + 1) {
    end = strchrnul(at, ':');
    char path[4352];
    int length = (int)(end - at);
    snprintf(path, sizeof path, "%.*s%s%s", length, at, length == 0 ? "./" : "/", name);
    try_program(path, &denied);
    if (*end == '\0') break;
  }
  if (denied) give_up("exec: \"%s\": permission denied", name);
  give_up("exec: \"%s\": executable file not found in $PATH", name);
}

void run_inside(const struct streams *streams, const struct filter *filter, int words) {
  const int namespaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
  if (words != WORDS_FD && dup3(words, WORDS_FD, O_CLOEXEC) < 0) _exit(125);
  reset_signals();
  setsid();
  join_cgroups();
  syscall(SYS_keyctl, JOIN_SESSION_KEYRING, NULL); // one of its own, not the engine's
  if (setns(EXEC_PIDFD, namespaces) < 0) give_up("cannot join the namespaces: %s", strerror(errno));
  take_streams(streams);
  if (config.tty && ioctl(0, TIOCSCTTY, 0) < 0) give_up("cannot take the terminal: %s", strerror(errno));
  own_streams();
  set_limits();
  umask(config.program.umask);
  bool is_there = enter_folder() == 0;
  take_identity();
  check_folder(is_there);
  drop_privileges(filter);
  run_program();
}

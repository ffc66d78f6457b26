// A further process in a running container, made without the runtime: it joins the container's namespaces and control
// groups, and gets the user, the limits, the capabilities and the seccomp filter that the container's own processes
// have. Its terminal has its size before the first instruction. Where this cannot be done, the runtime is called.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t container_pid;

void set_container(pid_t pid) { container_pid = pid; }

static bool same_user_namespace(void) {
  char path[64];
  struct stat theirs, ours;
  snprintf(path, sizeof path, "/proc/%d/ns/user", (int)container_pid);
  return stat(path, &theirs) == 0 && stat("/proc/self/ns/user", &ours) == 0 && theirs.st_ino == ours.st_ino;
}

// The filter as the runtime compiled it for the container. -1: the container has one, but it is not known here.
static int read_filter(struct filter *filter) {
  char text[4096], path[64];
  snprintf(path, sizeof path, "/proc/%d/status", (int)container_pid);
  int status = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = status < 0 ? -1 : read(status, text, sizeof text - 1);
  if (status >= 0) close(status);
  if (n <= 0) return -1;
  text[n] = '\0';
  const char *mode = strstr(text, "\nSeccomp:");
  if (mode == NULL || strtol(mode + strlen("\nSeccomp:"), NULL, 10) == 0) return 0;
  int fd = config.program.seccomp == NULL ? -1 : open(config.program.seccomp, O_RDONLY | O_CLOEXEC);
  struct stat file;
  if (fd < 0 || fstat(fd, &file) < 0 || file.st_size <= 0 || file.st_size > MAX_FILTER_BYTES) {
    if (fd >= 0) close(fd);
    return -1;
  }
  filter->bytes = malloc((size_t)file.st_size);
  filter->length = (size_t)file.st_size;
  bool whole = filter->bytes != NULL && read(fd, filter->bytes, filter->length) == file.st_size;
  close(fd);
  return whole ? 0 : -1;
}

bool can_enter(struct filter *filter) {
  if (!config.program.is_native || config.program.args == NULL || config.program.args[0] == NULL) return false;
  return container_pid > 0 && same_user_namespace() && read_filter(filter) == 0;
}

static int open_ends(struct streams *child, int *master) {
  *master = -1;
  if (!config.tty) return open_streams(child);
  int slave = -1;
  *master = open_terminal(container_pid, &slave);
  *child = (struct streams){slave, slave, slave};
  return *master < 0 ? -1 : 0;
}

// Until the program runs (the pipe closes with it) or says why it cannot.
static ssize_t await_words(int fd, char *words, size_t size) {
  size_t length = 0;
  for (int64_t until = now_ms() + config.runtime_ms, left; (left = until - now_ms()) > 0;) {
    struct pollfd waited = {.fd = fd, .events = POLLIN};
    if (poll(&waited, 1, (int)left) <= 0) continue;
    ssize_t n = read(fd, words + length, size - 1 - length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || length + (size_t)n >= size - 1) {
      words[length] = '\0';
      return (ssize_t)length;
    }
    length += (size_t)n;
  }
  return -1;
}

static int judge(pid_t pid, int words_fd, char *error, size_t size) {
  ssize_t length = await_words(words_fd, error, size);
  if (length == 0) return 0;
  if (length < 0) {
    kill(pid, SIGKILL);
    snprintf(error, size, "the process did not start within %lld ms", (long long)config.runtime_ms);
  }
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
  for (char *at = error; *at != '\0'; at++)
    if (*at == '\n' || *at == '\r') *at = ' '; // an answer is one line
  return -1;
}

int enter_process(const struct filter *filter, pid_t *pid, char *error, size_t size) {
  struct streams child = {-1, -1, -1};
  int master, words[2] = {-1, -1};
  // Nobody in the container can look into this process, or into its child before that runs its program.
  bool failed = open_ends(&child, &master) < 0 || pipe2(words, O_CLOEXEC) < 0 ||
                prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || setns(EXEC_PIDFD, CLONE_NEWPID) < 0;
  *pid = failed ? -1 : fork();
  if (*pid == 0) run_inside(&child, filter, words[1]);
  if (*pid < 0) snprintf(error, size, "cannot prepare the process: %s", strerror(errno));
  if (child.in >= 0) close(child.in);
  if (child.out >= 0 && child.out != child.in) close(child.out);
  if (child.err >= 0 && child.err != child.out) close(child.err);
  if (words[1] >= 0) close(words[1]);
  int result = *pid < 0 ? -1 : judge(*pid, words[0], error, size);
  if (words[0] >= 0) close(words[0]);
  close(EXEC_PIDFD);
  if (master >= 0) adopt_console(master);
  return result;
}

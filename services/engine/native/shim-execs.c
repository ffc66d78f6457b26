// Further processes in the container. The engine connects twice to `exec.sock`, for commands and for the streams; both
// begin with a letter and the same token. The pair is handed to a shim of its own, which reads the rest. It is forked
// here: this process is small, and the engine, which is large, never has to fork for it.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

enum {
  FOR_COMMANDS = 'x',
  FOR_STREAMS = 'c',
  HEAD_BYTES = 17, // the letter and 16 digits
  PAIR_MS = 10000, // how long one waits for the other
  MAX_VISITORS = 1024,
  WAITING_VISITORS = 4096, // not yet let in
  CGROUP_BYTES = 8192,
  ABOVE_ALL = 10, // no descriptor that is handed over has such a number
};

struct visitor {
  struct source source; // first: a source is a visitor
  struct visitor *next;
  char head[HEAD_BYTES];
  size_t length;
  int64_t until;
};

static void listener_ready(struct source *source, uint32_t events);

static struct source listener = {-1, 0, listener_ready};
static struct visitor *visitors;
static size_t visitor_count;
static const char *program_name = "shim";
static char cgroups[CGROUP_BYTES] = "CGROUPS=";

static void forget(struct visitor *visitor, bool is_handed_over) {
  for (struct visitor **at = &visitors; *at != NULL; at = &(*at)->next) {
    if (*at != visitor) continue;
    *at = visitor->next;
    break;
  }
  visitor_count--;
  if (is_handed_over) watch(&visitor->source, 0);
  else close_source(&visitor->source);
  free(visitor);
}

// The container's own groups, as they are at its start: its processes may make others below and move there.
static void read_cgroups(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  size_t length = strlen(cgroups);
  for (ssize_t n; (n = read(fd, cgroups + length, sizeof cgroups - 1 - length)) > 0;) length += (size_t)n;
  cgroups[length] = '\0';
  close(fd);
}

// The shim of an exec runs from a copy that nobody can write to: a program in the container may make the kernel run
// `/proc/self/exe`, and must not get hold of the file that the host runs.
static int sealed_program(void) {
  static int copy = -1;
  if (copy >= 0) return copy;
  int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int fd = memfd_create("shim", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (fd < 0 && errno == EINVAL) fd = memfd_create("shim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  struct stat status;
  bool copied = own >= 0 && fd >= 0 && fstat(own, &status) == 0;
  for (off_t left = copied ? status.st_size : 0; copied && left > 0;) {
    ssize_t n = sendfile(fd, own, NULL, (size_t)left);
    if (n <= 0) copied = false;
    else left -= n;
  }
  const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (copied && fchmod(fd, 0500) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0) copy = fd;
  else if (fd >= 0) close(fd);
  if (own >= 0) close(own);
  return copy;
}

static void become_exec(int program, int pidfd, int control, int client) {
  int from[3] = {control, client, pidfd};
  int exe = fcntl(program, F_DUPFD_CLOEXEC, ABOVE_ALL);
  for (int i = 0; i < 3; i++) from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, ABOVE_ALL);
  for (int i = 0; i < 3; i++)
    if (from[i] < 0 || dup2(from[i], EXEC_CONTROL_FD + i) < 0) _exit(126);
  char *folder, pid[16];
  if (exe < 0 || asprintf(&folder, "%s/execs", config.folder) < 0) _exit(126);
  snprintf(pid, sizeof pid, "%d", (int)process_pid);
  char *const args[] = {(char *)program_name, "exec", folder, pid, NULL};
  char *const environment[] = {cgroups, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
  fexecve(exe, args, environment);
  dprintf(EXEC_CONTROL_FD, "error cannot run the shim: %s\n", strerror(errno));
  _exit(127);
}

static const char *launch(int control, int client) {
  if (state != RUNNING || process_pid == 0) return "the process has ended";
  int program = sealed_program();
  int pidfd = (int)syscall(SYS_pidfd_open, process_pid, 0);
  pid_t pid = program < 0 || pidfd < 0 ? -1 : fork();
  if (pid == 0) become_exec(program, pidfd, control, client);
  if (pidfd >= 0) close(pidfd);
  return pid < 0 ? "the shim cannot be started" : NULL;
}

static bool is_pair(const struct visitor *a, const struct visitor *b) {
  if (a->length < HEAD_BYTES || b->length < HEAD_BYTES || a->head[0] == b->head[0]) return false;
  return memcmp(a->head + 1, b->head + 1, HEAD_BYTES - 1) == 0;
}

static void hand_over(struct visitor *one, struct visitor *other) {
  int fds[2] = {one->source.fd, other->source.fd};
  int control = one->head[0] == FOR_COMMANDS ? fds[0] : fds[1];
  forget(one, true);
  forget(other, true);
  const char *problem = launch(control, control == fds[0] ? fds[1] : fds[0]);
  if (problem != NULL) dprintf(control, "error %s\n", problem);
  close(fds[0]);
  close(fds[1]);
}

static void visitor_ready(struct source *source, uint32_t events) {
  struct visitor *visitor = (struct visitor *)source;
  size_t missing = HEAD_BYTES - visitor->length;
  ssize_t n = (events & EPOLLIN) && missing > 0
                  ? recv(source->fd, visitor->head + visitor->length, missing, MSG_DONTWAIT)
                  : 0;
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    forget(visitor, false);
    return;
  }
  visitor->length += (size_t)n;
  if (visitor->length < HEAD_BYTES) return;
  watch(source, EPOLLPRI); // tells only of its leaving; the rest is for the other shim
  struct visitor *other = visitors;
  while (other != NULL && !is_pair(visitor, other)) other = other->next;
  if (other != NULL) hand_over(visitor, other);
}

static void listener_ready(struct source *source, uint32_t events) {
  (void)events;
  int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  struct visitor *visitor = visitor_count < MAX_VISITORS ? calloc(1, sizeof *visitor) : NULL;
  if (visitor == NULL) {
    close(fd);
    return;
  }
  visitor->source = (struct source){fd, 0, visitor_ready};
  visitor->until = now_ms() + PAIR_MS;
  visitor->next = visitors;
  visitors = visitor;
  visitor_count++;
  watch(&visitor->source, EPOLLIN);
}

int open_execs(const char *name) {
  program_name = name;
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "exec.sock"};
  listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener.fd < 0 || bind(listener.fd, (struct sockaddr *)&address, sizeof address) < 0) return -1;
  return listen(listener.fd, WAITING_VISITORS) < 0 ? -1 : 0;
}

void serve_execs(pid_t pid) {
  read_cgroups(pid);
  watch(&listener, EPOLLIN);
}

void close_execs(void) {
  close_source(&listener);
  while (visitors != NULL) forget(visitors, false);
}

int64_t execs_deadline(void) {
  int64_t at = 0;
  for (struct visitor *visitor = visitors; visitor != NULL; visitor = visitor->next) at = sooner(at, visitor->until);
  return at;
}

void execs_expire(int64_t now) {
  for (struct visitor *visitor = visitors, *next; visitor != NULL; visitor = next) {
    next = visitor->next;
    if (now >= visitor->until) forget(visitor, false);
  }
}

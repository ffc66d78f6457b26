// Calls of the OCI runtime (crun or runc). Every call has a deadline.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGS = 24, REAP_MS = 2000 };

static struct source signals = {.fd = -1};

static void signals_ready(struct source *source, uint32_t events) {
  (void)events;
  struct signalfd_siginfo info;
  while (read(source->fd, &info, sizeof info) == sizeof info) {
  }
  life_reap();
}

int open_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) return -1;
  signals = (struct source){.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), .ready = signals_ready};
  return signals.fd < 0 ? -1 : watch(&signals, EPOLLIN);
}

// A call of the runtime ends with its shim: on its own it would go on making a container that nobody looks after.
static void exec_child(char *const args[], const struct streams *streams, pid_t shim) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != shim) _exit(126);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  const int ignored[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) signal(ignored[i], SIG_DFL);
  umask(022);
  if (dup2(streams->in, 0) < 0 || dup2(streams->out, 1) < 0 || dup2(streams->err, 2) < 0) _exit(126);
  execv(args[0], args);
  _exit(127);
}

int spawn_program(char *const args[], const struct streams *streams, pid_t *pid) {
  pid_t shim = getpid();
  *pid = fork();
  if (*pid == 0) exec_child(args, streams, shim);
  return *pid < 0 ? -1 : 0;
}

static char *in_folder(const char *name) {
  char *path;
  return asprintf(&path, "%s/%s", config.folder, name) < 0 ? NULL : path;
}

static size_t first_args(char **args) {
  static char *log;
  if (log == NULL) log = in_folder("runtime.log");
  char *const common[] = {(char *)config.runtime, "--root", (char *)config.root, "--log", log, "--log-format", "json"};
  memcpy(args, common, sizeof common);
  return sizeof common / sizeof common[0];
}

static void create_args(char **args, char *process, char *pid_file, char *console) {
  size_t n = first_args(args);
  args[n++] = is_exec ? "exec" : "create";
  args[n++] = is_exec ? "--process" : "--bundle";
  args[n++] = is_exec ? process : (char *)config.bundle;
  if (is_exec) args[n++] = "--detach";
  args[n++] = "--pid-file";
  args[n++] = pid_file;
  if (config.tty) {
    args[n++] = "--console-socket";
    args[n++] = console;
  }
  args[n++] = (char *)config.id;
  args[n] = NULL;
}

// Until the runtime is done; meanwhile it may send the pty. Only the runtime is reaped here.
static int await_runtime(pid_t runtime, int console, int64_t until, int *status) {
  int master = -1;
  for (;;) {
    struct signalfd_siginfo info;
    while (read(signals.fd, &info, sizeof info) == sizeof info) {
    }
    pid_t done = waitpid(runtime, status, WNOHANG);
    if (done == runtime) break;
    int64_t left = until - now_ms();
    if (done < 0 || left <= 0) {
      kill(runtime, SIGKILL);
      while (waitpid(runtime, status, 0) < 0 && errno == EINTR) {
      }
      *status = -1;
      break;
    }
    struct pollfd waited[2] = {{.fd = signals.fd, .events = POLLIN}, {.fd = master < 0 ? console : -1, .events = POLLIN}};
    if (poll(waited, 2, (int)left) > 0 && (waited[1].revents & POLLIN)) master = receive_console(console);
  }
  if (master < 0 && console >= 0) master = receive_console(console);
  return master;
}

// What a failed call left: a dead process that nobody reaps would keep the container's pid namespace from ending.
void reap_rest(void) {
  struct signalfd_siginfo info;
  for (int64_t until = now_ms() + REAP_MS, left; (left = until - now_ms()) > 0;) {
    pid_t pid;
    while (read(signals.fd, &info, sizeof info) == sizeof info) {
    }
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    if (pid < 0) return;
    struct pollfd waited = {.fd = signals.fd, .events = POLLIN};
    poll(&waited, 1, (int)left);
  }
}

static pid_t read_pid(const char *path) {
  char text[32] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  long pid = n > 0 ? strtol(text, NULL, 10) : 0;
  return pid > 0 ? (pid_t)pid : -1;
}

static int judge(int status, int master, pid_t pid, char *error, size_t size) {
  if (status == -1) snprintf(error, size, "the runtime did not answer within %lld ms", (long long)config.runtime_ms);
  else if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && access(config.runtime, X_OK) < 0)
    snprintf(error, size, "cannot run %s", config.runtime);
  else if (status != 0) {
    int length = snprintf(error, size, "the runtime failed (status %d): ", status);
    take_stderr(error + length, size - (size_t)length);
  } else if (config.tty && master < 0) snprintf(error, size, "the runtime sent no terminal");
  else if (pid <= 0) snprintf(error, size, "the runtime wrote no process id");
  else return 0;
  return -1;
}

// The process of an exec, where the runtime reads it.
static int write_process(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  size_t done = 0, length = strlen(config.process);
  while (done < length) {
    ssize_t n = write(fd, config.process + done, length - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += (size_t)n;
  }
  close(fd);
  return done == length ? 0 : -1;
}

static int call_create(pid_t *pid, char *error, size_t size) {
  char *args[MAX_ARGS], console[64];
  char *pid_file = in_folder("pid"), *process = in_folder("process.json");
  struct streams child = {-1, -1, -1};
  int listener = config.tty ? open_console_socket() : -1;
  snprintf(console, sizeof console, "/proc/%d/fd/%d/console.sock", (int)getpid(), folder_fd);
  create_args(args, process, pid_file, console);
  pid_t runtime = -1;
  int failed = (is_exec && write_process(process) < 0) || (config.tty && listener < 0) || open_streams(&child) < 0 || spawn_program(args, &child, &runtime) < 0;
  if (child.in >= 0) close(child.in);
  if (child.out >= 0) close(child.out);
  if (child.err >= 0 && child.err != child.out) close(child.err);
  if (failed) {
    snprintf(error, size, "cannot prepare the process: %s", strerror(errno));
    return -1;
  }
  int status = 0;
  int master = await_runtime(runtime, listener, now_ms() + config.runtime_ms, &status);
  if (listener >= 0) close(listener);
  unlinkat(folder_fd, "console.sock", 0);
  *pid = status == 0 ? read_pid(pid_file) : -1;
  free(pid_file);
  free(process);
  if (master >= 0) adopt_console(master);
  return judge(status, master, *pid, error, size);
}

int create_process(pid_t *pid, char *error, size_t size) {
  struct filter filter = {NULL, 0};
  if (is_exec && is_frozen()) {
    snprintf(error, size, "paused");
    return -1;
  }
  int result = is_exec && can_enter(&filter) ? enter_process(&filter, pid, error, size) : call_create(pid, error, size);
  free(filter.bytes);
  return result;
}

static int spawn_quiet(char *const args[], pid_t *pid) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return -1;
  struct streams streams = {null, null, null};
  int result = spawn_program(args, &streams, pid);
  close(null);
  return result;
}

int spawn_start(pid_t *pid) {
  char *args[MAX_ARGS];
  size_t n = first_args(args);
  args[n++] = "start";
  args[n++] = (char *)config.id;
  args[n] = NULL;
  return spawn_quiet(args, pid);
}

int spawn_delete(pid_t *pid) {
  char *args[MAX_ARGS];
  size_t n = first_args(args);
  args[n++] = "delete";
  args[n++] = "--force";
  args[n++] = (char *)config.id;
  args[n] = NULL;
  return spawn_quiet(args, pid);
}

int delete_now(void) {
  pid_t pid;
  int status;
  if (spawn_delete(&pid) < 0) return -1;
  await_runtime(pid, -1, now_ms() + config.runtime_ms, &status);
  return status == 0 ? 0 : -1;
}

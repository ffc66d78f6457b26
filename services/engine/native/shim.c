// The shim: one process beside each container and each exec. It owns the streams, reaps the process, keeps its log,
// and writes how it ended; the engine may come and go.
//   shim run CONFIG                      a container: created at once, started by `start` on the control socket
//   shim exec FOLDER PID                 a further process in a running container; only its shim calls this
//   shim in-namespace -- PROGRAM ARGS…   a call of the runtime that needs the shim's view of the cgroups
// Descriptor 3, where given, is the engine's control connection; for exec, 4 is its first attached client, and 5 stands
// for the container's first process.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool is_exec;
int folder_fd = -1;

static int inherited(int fd) {
  int type;
  socklen_t size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0) return -1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

static void become_daemon(void) {
  setsid();
  umask(077);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_NAME, is_exec ? "atoll-exec" : "atoll-shim", 0, 0, 0);
  const int ignored[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) signal(ignored[i], SIG_IGN);
#ifdef SYS_close_range
  syscall(SYS_close_range, (is_exec ? EXEC_PIDFD : EXEC_CONTROL_FD) + 1, ~0U, 0);
#endif
}

static int open_folder(void) {
  if (is_exec && mkdir(config.folder, 0700) < 0) return -1;
  folder_fd = open(config.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder_fd < 0 ? -1 : fchdir(folder_fd);
}

// What must be there before the runtime is called; the name of what failed, or NULL.
static const char *prepare(const char *name) {
  if (open_signals() < 0) return "signals";
  if (is_exec) return NULL; // it is in the namespace of the container's shim
  if (open_execs(name) < 0) return "socket for further processes";
  if (take_shared() < 0) return "folders shared with the host";
  if (enter_namespace() < 0) return "mount namespace";
  if (place_shared() < 0) return "place of the folders shared with the host";
  if (mount_rootfs() < 0) return "overlay of the root file system";
  if (open_log() < 0) return "log file";
  return NULL;
}

static int serve(const char *name) {
  char message[1600];
  const char *failed = prepare(name);
  pid_t pid = -1;
  if (failed != NULL) snprintf(message, sizeof message, "cannot open the %s: %s", failed, strerror(errno));
  if (failed != NULL || create_process(&pid, message, sizeof message) < 0) {
    if (failed == NULL && !is_exec) delete_now();
    if (failed == NULL) reap_rest();
    control_failed(message);
    return 1;
  }
  oom_watch(is_exec ? -1 : pid);
  if (!is_exec) serve_execs(pid);
  life_begin(pid, is_exec ? RUNNING : CREATED);
  serve_streams();
  control_created(pid);
  life_step();
  run_loop();
  return 0;
}

static int run_in_namespace(char **args) {
  if (enter_namespace() < 0) {
    perror("shim: cannot make a mount namespace");
    return 125;
  }
  execvp(args[0], args);
  perror(args[0]);
  return 127;
}

static int open_all(const char *argument, int control, int client) {
  if (is_exec ? receive_config(control) < 0 : read_config(argument) < 0) return -1;
  return open_folder() < 0 || open_control(control) < 0 || open_attach(client) < 0 ? -1 : 0;
}

#ifdef __SANITIZE_ADDRESS__
// It ends with what it has; and where it ends, in a root of its own, nobody could look for what was lost.
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif

int main(int count, char **args) {
  if (count >= 4 && strcmp(args[1], "in-namespace") == 0 && strcmp(args[2], "--") == 0) return run_in_namespace(args + 3);
  bool is_run = count == 3 && strcmp(args[1], "run") == 0;
  is_exec = count == 4 && strcmp(args[1], "exec") == 0;
  if (!is_run && !is_exec) {
    fprintf(stderr, "usage: shim run CONFIG | shim in-namespace -- PROGRAM ARGS\n");
    return 64;
  }
  int control = inherited(EXEC_CONTROL_FD), client = is_exec ? inherited(EXEC_CLIENT_FD) : -1;
  if (is_exec) {
    fcntl(EXEC_PIDFD, F_SETFD, FD_CLOEXEC);
    set_container((pid_t)atoi(args[3]));
  }
  become_daemon();
  if (open_loop() < 0) return 1;
  if (open_all(args[2], control, client) < 0) {
    dprintf(EXEC_CONTROL_FD, "error cannot read the configuration or open the sockets: %s\n", strerror(errno));
    return 1;
  }
  return serve(args[0]);
}

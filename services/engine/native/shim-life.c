// The life of the process: created, running, ended; and what has to be done once it has ended, in order.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD_AGAIN_MS = 1000, MAX_RECORD_TRIES = 30, MAX_DELETE_TRIES = 3 };

struct task {
  pid_t pid; // 0: none runs
  int64_t until;
};

enum state state = CREATED;
pid_t process_pid;

static struct task start_task, delete_task;
static bool delete_done, recorded, oom_killed;
static int exit_code, record_tries, delete_tries;
static int64_t record_at;
static char finished_at[40];

void life_begin(pid_t pid, enum state first) {
  process_pid = pid;
  state = first;
  life_reap();
}

int life_start(char *error, size_t size) {
  if (state != CREATED || start_task.pid != 0) {
    snprintf(error, size, "%s", state == ENDED ? "the process has ended" : "it is started already");
    return -1;
  }
  if (spawn_start(&start_task.pid) < 0) {
    start_task.pid = 0;
    snprintf(error, size, "cannot call the runtime");
    return -1;
  }
  start_task.until = now_ms() + config.runtime_ms;
  return 0;
}

// By its own pid: the shim is the one who reaps it, so nobody else can have the number.
int life_signal(int number) {
  if (process_pid == 0) {
    errno = ESRCH;
    return -1;
  }
  return kill(process_pid, number);
}

static void process_ended(int status) {
  exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  format_time(finished_at);
  process_pid = 0;
  state = ENDED;
  oom_killed = oom_happened();
  oom_close();
  close_execs();
  // What is not in the container's own hands (its networks) can be given back while the rest is cleaned up here.
  if (!is_exec) control_broadcast("event ending");
  streams_process_ended();
}

static void start_ended(int status) {
  char message[64];
  snprintf(message, sizeof message, "the runtime failed (status %d)", status);
  start_task.pid = 0;
  if (status == 0 && state == CREATED) state = RUNNING;
  control_started(status == 0, message);
}

// Killed in the middle (for want of memory, by its deadline), it left a cgroup or its own state: it is called again.
static void delete_ended(int status) {
  delete_task.pid = 0;
  delete_done = !WIFSIGNALED(status) || ++delete_tries == MAX_DELETE_TRIES;
}

void life_reap(void) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid == process_pid) process_ended(status);
    else if (pid == start_task.pid) start_ended(status);
    else if (pid == delete_task.pid) delete_ended(status);
  }
}

static void record(void) {
  streams_close();
  close_log();
  if (!is_exec) unmount_rootfs();
  char text[EXIT_BYTES], told[EXIT_BYTES + 16];
  describe_exit(text, exit_code, oom_killed, finished_at);
  if (write_exit_record(text) < 0 && ++record_tries < MAX_RECORD_TRIES) {
    record_at = now_ms() + RECORD_AGAIN_MS;
    return;
  }
  record_at = 0;
  recorded = true;
  snprintf(told, sizeof told, "event exit %s", text);
  // The engine writes it down itself. Without one, the record is all there is, and has to outlive the power.
  if (!control_broadcast(told) && !is_exec) sync_exit_record();
  control_close();
  attach_finish();
}

// The runtime cleans up (cgroup, its own state) while the last output is still read.
static void begin_delete(void) {
  if (is_exec || spawn_delete(&delete_task.pid) < 0) {
    delete_task.pid = 0;
    delete_done = true;
    return;
  }
  delete_task.until = now_ms() + config.runtime_ms;
}

void life_step(void) {
  if (state != ENDED || recorded || start_task.pid != 0 || record_at > now_ms()) return;
  if (!delete_done && delete_task.pid == 0) begin_delete();
  if (delete_done && streams_drained()) record();
}

bool life_is_over(void) { return recorded && attach_idle(); }

int64_t life_deadline(void) {
  int64_t start = start_task.pid != 0 ? start_task.until : 0;
  int64_t end = delete_task.pid != 0 ? delete_task.until : 0;
  return sooner(sooner(start, end), record_at);
}

static void expire(struct task *task, int64_t now) {
  if (task->pid == 0 || now < task->until) return;
  kill(task->pid, SIGKILL);
  task->until = now + config.runtime_ms; // it is reaped soon
}

void life_expire(int64_t now) {
  expire(&start_task, now);
  expire(&delete_task, now);
}

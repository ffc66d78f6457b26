// The control socket: a command a line, an answer a line (`ok …` or `error …`), in order on each connection.
// `event …` lines come unasked. The connection that the engine hands over at the start gets the first answer.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { COMMAND_BYTES = 128 };

struct control {
  struct source source; // first: a source is a control
  struct control *next;
  bool waits; // for `start`; nothing more is read meanwhile
  char line[COMMAND_BYTES];
  size_t length;
};

static void listener_ready(struct source *source, uint32_t events);

static struct source listener = {-1, 0, listener_ready};
static struct control *controls;
static size_t control_count;

static void drop(struct control *control) {
  for (struct control **at = &controls; *at != NULL; at = &(*at)->next) {
    if (*at != control) continue;
    *at = control->next;
    break;
  }
  control_count--;
  close_source(&control->source);
  free(control);
}

__attribute__((format(printf, 2, 3))) static bool answer(struct control *control, const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text - 1, format, arguments);
  va_end(arguments);
  if (length > (int)sizeof text - 2) length = (int)sizeof text - 2;
  text[length++] = '\n';
  return send(control->source.fd, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) == length;
}

static bool command_start(struct control *control) {
  char error[256] = "";
  if (life_start(error, sizeof error) < 0) return answer(control, "error %s", error);
  control->waits = true;
  watch(&control->source, EPOLLPRI);
  return true;
}

static bool command_state(struct control *control) {
  static const char *const names[] = {"created", "running", "ended"};
  return answer(control, "ok %s %d", names[state], (int)process_pid);
}

static bool obey(struct control *control, const char *line) {
  unsigned rows, columns, number;
  if (strcmp(line, "start") == 0) return command_start(control);
  if (strcmp(line, "state") == 0) return command_state(control);
  if (strcmp(line, "close-stdin") == 0) {
    stdin_finish();
    return answer(control, "ok");
  }
  int failed;
  if (sscanf(line, "resize %u %u", &rows, &columns) == 2 && rows <= 65535 && columns <= 65535)
    failed = resize_console((unsigned short)rows, (unsigned short)columns);
  else if (sscanf(line, "signal %u", &number) == 1) failed = life_signal((int)number);
  else return answer(control, "error unknown command");
  return failed < 0 ? answer(control, "error %s", strerror(errno)) : answer(control, "ok");
}

static bool obey_lines(struct control *control) {
  char *newline;
  while (!control->waits && (newline = memchr(control->line, '\n', control->length)) != NULL) {
    *newline = '\0';
    bool alive = obey(control, control->line);
    size_t used = (size_t)(newline - control->line) + 1;
    control->length -= used;
    memmove(control->line, control->line + used, control->length);
    if (!alive) return false;
  }
  return control->waits || control->length < COMMAND_BYTES;
}

static void control_ready(struct source *source, uint32_t events) {
  struct control *control = (struct control *)source;
  bool alive = false;
  if (events & EPOLLIN) {
    ssize_t n =
        recv(source->fd, control->line + control->length, COMMAND_BYTES - control->length, MSG_DONTWAIT);
    if (n > 0) {
      control->length += (size_t)n;
      alive = obey_lines(control);
    } else alive = n < 0 && (errno == EAGAIN || errno == EINTR);
  }
  if (!alive) drop(control);
}

static struct control *add_control(int fd) {
  struct control *control = control_count < MAX_CONTROLS ? calloc(1, sizeof *control) : NULL;
  if (control == NULL) {
    close(fd);
    return NULL;
  }
  control->source = (struct source){fd, 0, control_ready};
  control->next = controls;
  controls = control;
  control_count++;
  watch(&control->source, EPOLLIN);
  return control;
}

static void listener_ready(struct source *source, uint32_t events) {
  (void)events;
  int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0) add_control(fd);
}

int open_control(int inherited) {
  if (inherited >= 0) add_control(inherited);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control.sock"};
  listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener.fd < 0 || bind(listener.fd, (struct sockaddr *)&address, sizeof address) < 0) return -1;
  return listen(listener.fd, 16) < 0 ? -1 : watch(&listener, EPOLLIN);
}

// Before the loop runs there is at most the inherited connection.
void control_created(pid_t pid) {
  if (controls != NULL && !answer(controls, "ok %d", (int)pid)) drop(controls);
}

void control_failed(const char *message) {
  if (controls != NULL) answer(controls, "error %s", message);
}

void control_started(bool ok, const char *message) {
  for (struct control *control = controls, *next; control != NULL; control = next) {
    next = control->next;
    if (!control->waits) continue;
    control->waits = false;
    watch(&control->source, EPOLLIN);
    bool alive = ok ? answer(control, "ok") : answer(control, "error %s", message);
    if (!alive || !obey_lines(control)) drop(control);
  }
}

// true: somebody was told.
bool control_broadcast(const char *line) {
  bool told = false;
  for (struct control *control = controls, *next; control != NULL; control = next) {
    next = control->next;
    if (answer(control, "%s", line)) told = true;
    else drop(control);
  }
  return told;
}

void control_close(void) {
  close_source(&listener);
  while (controls != NULL) drop(controls);
}

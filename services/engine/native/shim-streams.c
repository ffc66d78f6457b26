// The process's own streams: real pipes (so that /dev/stdout can be opened inside), or the master of its pty.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
  DRAIN_MS = 2000,     // how long a stream that others hold open is waited for after the end
  TTY_PAUSE_MS = 100,  // a terminal nobody has open is looked at again after this
  MAX_REST_READS = 64, // of a stream whose time is over: more than a pipe holds, and yet an end
};

struct output {
  struct source source; // first: a source is an output
  enum stream stream;
};

static void output_ready(struct source *source, uint32_t events);
static void sink_ready(struct source *source, uint32_t events);

static struct output outputs[2] = {{{-1, 0, output_ready}, STDOUT}, {{-1, 0, output_ready}, STDERR}};
static struct source sink = {-1, 0, sink_ready};
static char pending[READ_BYTES];
static size_t pending_start, pending_length;
static bool finishing, held, serving, ended;
static int64_t drain_until, tty_again;

static void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

static int open_pipe(int *ours, int *theirs, bool we_read) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  *ours = we_read ? ends[0] : ends[1];
  *theirs = we_read ? ends[1] : ends[0];
  set_nonblocking(*ours);
  return 0;
}

int open_streams(struct streams *child) {
  if (config.tty || !config.open_stdin) child->in = open("/dev/null", O_RDWR | O_CLOEXEC);
  else if (open_pipe(&sink.fd, &child->in, false) < 0) return -1;
  if (config.tty) {
    child->out = open("/dev/null", O_RDWR | O_CLOEXEC);
    return open_pipe(&outputs[1].source.fd, &child->err, true); // what the runtime itself says; closed with it
  }
  if (open_pipe(&outputs[0].source.fd, &child->out, true) < 0) return -1;
  return open_pipe(&outputs[1].source.fd, &child->err, true);
}

void adopt_console(int master) {
  close_source(&outputs[1].source);
  set_nonblocking(master);
  outputs[0].source.fd = master;
  if (config.open_stdin) sink.fd = fcntl(master, F_DUPFD_CLOEXEC, 0);
}

// The runtime's own words when it failed, on one line.
size_t take_stderr(char *out, size_t size) {
  size_t length = 0;
  while (outputs[1].source.fd >= 0 && length + 1 < size) {
    ssize_t n = read(outputs[1].source.fd, out + length, size - 1 - length);
    if (n <= 0) break;
    length += (size_t)n;
  }
  out[length] = '\0';
  for (size_t i = 0; i < length; i++)
    if (out[i] == '\n' || out[i] == '\r') out[i] = ' ';
  return length;
}

static void watch_outputs(void) {
  for (int i = 0; i < 2; i++) {
    bool wanted = serving && (!held || ended) && tty_again == 0;
    watch(&outputs[i].source, wanted ? EPOLLIN : 0);
  }
}

void serve_streams(void) {
  serving = true;
  watch_outputs();
}

// false: there is nothing more for now.
static bool read_output(struct output *output) {
  static char bytes[READ_BYTES];
  ssize_t n = read(output->source.fd, bytes, sizeof bytes);
  if (n > 0) {
    log_write(output->stream, bytes, (size_t)n);
    attach_write(output->stream, bytes, (size_t)n);
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    if (config.tty && !ended) {
      tty_again = now_ms() + TTY_PAUSE_MS;
      watch_outputs();
    } else close_source(&output->source);
  }
  return n > 0;
}

static void output_ready(struct source *source, uint32_t events) {
  (void)events;
  read_output((struct output *)source);
}

void streams_hold(bool hold) {
  if (held == hold) return;
  held = hold;
  watch_outputs();
}

void streams_process_ended(void) {
  ended = true;
  tty_again = 0;
  drain_until = now_ms() + DRAIN_MS;
  pending_length = 0;
  close_source(&sink);
  attach_stdin_changed();
  watch_outputs();
}

bool streams_drained(void) {
  bool open = outputs[0].source.fd >= 0 || outputs[1].source.fd >= 0;
  return ended && (!open || now_ms() >= drain_until);
}

// Those that others hold open. What is in them already counts: on a busy machine the time may be over before the shim
// had its turn to read the process's last words.
void streams_close(void) {
  for (int i = 0; i < 2; i++) {
    for (int reads = 0; reads < MAX_REST_READS && outputs[i].source.fd >= 0 && read_output(&outputs[i]); reads++) {
    }
    close_source(&outputs[i].source);
  }
  drain_until = 0;
}

int64_t streams_deadline(void) { return sooner(drain_until, tty_again); }

void streams_expire(int64_t now) {
  if (tty_again == 0 || now < tty_again) return;
  tty_again = 0;
  watch_outputs();
}

bool stdin_is_open(void) { return sink.fd >= 0 && !finishing; }

bool stdin_accepts(void) { return sink.fd < 0 || pending_length == 0; }

static void close_stdin(void) {
  pending_length = 0;
  close_source(&sink);
}

static void flush_stdin(void) {
  while (pending_length > 0) {
    ssize_t n = write(sink.fd, pending + pending_start, pending_length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {
      close_stdin();
      return;
    }
    pending_start += (size_t)n;
    pending_length -= (size_t)n;
  }
  if (pending_length == 0 && finishing) close_stdin();
  else watch(&sink, pending_length > 0 ? EPOLLOUT : 0);
}

static void sink_ready(struct source *source, uint32_t events) {
  (void)source;
  if (pending_length == 0 && (events & (EPOLLERR | EPOLLHUP))) close_stdin();
  else flush_stdin();
  if (stdin_accepts()) attach_stdin_changed();
}

// Only called when `stdin_accepts`; what cannot go at once waits, and the clients with it.
void stdin_write(const char *bytes, size_t length) {
  if (!stdin_is_open() || length > sizeof pending) return;
  memcpy(pending, bytes, length);
  pending_start = 0;
  pending_length = length;
  flush_stdin();
  if (!stdin_accepts()) attach_stdin_changed();
}

// A terminal has no end of its input; for a pipe it comes after what still waits.
void stdin_finish(void) {
  if (sink.fd < 0 || config.tty) return;
  finishing = true;
  if (pending_length == 0) close_stdin();
}

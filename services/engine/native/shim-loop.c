// The loop: waits for descriptors and points in time. One event at a round, so that a source may be closed by another.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

static int loop = -1;

int open_loop(void) {
  loop = epoll_create1(EPOLL_CLOEXEC);
  return loop < 0 ? -1 : 0;
}

int watch(struct source *source, uint32_t events) {
  if (source->fd < 0 || source->events == events) return 0;
  struct epoll_event event = {.events = events, .data.ptr = source};
  int how = source->events == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  if (epoll_ctl(loop, how, source->fd, &event) < 0) return -1;
  source->events = events;
  return 0;
}

void close_source(struct source *source) {
  if (source->fd < 0) return;
  watch(source, 0);
  close(source->fd);
  source->fd = -1;
}

static int64_t next_deadline(void) {
  int64_t at = sooner(streams_deadline(), attach_deadline());
  return sooner(sooner(sooner(at, oom_deadline()), execs_deadline()), life_deadline());
}

static int time_left(int64_t at) {
  if (at == 0) return -1;
  int64_t left = at - now_ms();
  return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

void run_loop(void) {
  while (!life_is_over()) {
    struct epoll_event event;
    int count = epoll_wait(loop, &event, 1, time_left(next_deadline()));
    if (count < 0 && errno != EINTR) return;
    if (count == 1) {
      struct source *source = event.data.ptr;
      source->ready(source, event.events);
    }
    int64_t now = now_ms();
    streams_expire(now);
    attach_expire(now);
    oom_expire(now);
    execs_expire(now);
    life_expire(now);
    log_flush();
    life_step();
  }
}

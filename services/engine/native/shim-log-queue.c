// For a container that must never wait for its log: records wait in memory, a thread writes them, and what does not fit
// is dropped.
#define _GNU_SOURCE
#include "shim.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  TAKE_BYTES = RECORD_BYTES + 32 * 1024, // at least one whole record
  LAST_SECONDS = 2,                      // how long the end of a container waits for the end of its log
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t writer;
static char *ring;
static size_t capacity, start, used;
static bool finishing;

static void copy_in(const char *record, size_t size) {
  size_t at = (start + used) % capacity, first = capacity - at < size ? capacity - at : size;
  memcpy(ring + at, record, first);
  memcpy(ring, record + first, size - first);
  used += size;
}

// Whole records: as many as fit.
static size_t copy_out(char *into) {
  size_t size = used < TAKE_BYTES ? used : TAKE_BYTES, first = capacity - start < size ? capacity - start : size;
  memcpy(into, ring + start, first);
  memcpy(into + first, ring, size - first);
  char *newline = memrchr(into, '\n', size);
  size = newline == NULL ? size : (size_t)(newline - into) + 1;
  used -= size;
  start = used == 0 ? 0 : (start + size) % capacity;
  return size;
}

static void *write_records(void *nothing) {
  static char taken[TAKE_BYTES];
  for (;;) {
    pthread_mutex_lock(&lock);
    while (used == 0 && !finishing) pthread_cond_wait(&changed, &lock);
    size_t size = copy_out(taken);
    pthread_mutex_unlock(&lock);
    if (size == 0) return nothing;
    for (char *at = taken, *end; at < taken + size; at = end) {
      char *newline = memchr(at, '\n', (size_t)(taken + size - at));
      end = newline == NULL ? taken + size : newline + 1;
      log_file_append(at, (size_t)(end - at));
    }
    log_file_flush();
  }
}

int log_queue_open(void) {
  capacity = (size_t)config.log_buffer < RECORD_BYTES ? RECORD_BYTES : (size_t)config.log_buffer;
  ring = malloc(capacity);
  return ring == NULL || pthread_create(&writer, NULL, write_records, NULL) != 0 ? -1 : 0;
}

void log_queue_put(const char *record, size_t size) {
  pthread_mutex_lock(&lock);
  bool fits = used == 0 || used + size <= (size_t)config.log_buffer;
  if (fits) copy_in(record, size);
  pthread_mutex_unlock(&lock);
  if (fits) pthread_cond_signal(&changed);
}

int log_queue_close(void) {
  pthread_mutex_lock(&lock);
  finishing = true;
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&changed);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += LAST_SECONDS;
  return pthread_timedjoin_np(writer, NULL, &until) == 0 ? 0 : -1;
}

// Older files of a log: `log.json.1`, `log.json.2`, …, or `log.json.1.gz` once a thread has compressed them. Between
// the two a file is never missing: its compressed form takes its name before it goes.
#define _GNU_SOURCE
#include "shim.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 4200 };

static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER; // held for a few renames only
static pthread_t compressor;
static bool started, working; // under `names`
static int age;               // of the file that is being compressed; grows when files are shifted
static atomic_bool stopping;

static void name_file(char name[PATH_BYTES], int number, const char *ending) {
  if (number == 0) snprintf(name, PATH_BYTES, "%s%s", config.log, ending);
  else snprintf(name, PATH_BYTES, "%s.%d%s", config.log, number, ending);
}

static void shift(int from, const char *ending) {
  char old[PATH_BYTES], new[PATH_BYTES];
  name_file(old, from, ending);
  name_file(new, from + 1, ending);
  rename(old, new);
}

static void drop(int number, const char *ending) {
  char name[PATH_BYTES];
  name_file(name, number, ending);
  unlink(name);
}

// A log of one file is emptied instead.
void log_shift_files(void) {
  int oldest = config.log_files - 1;
  if (oldest == 0) return;
  pthread_mutex_lock(&names);
  drop(oldest, "");
  drop(oldest, ".gz");
  for (int i = oldest - 1; i >= 0; i--) {
    shift(i, "");
    if (i > 0) shift(i, ".gz");
  }
  age++;
  pthread_mutex_unlock(&names);
}

// The oldest file that is not compressed; -1: there is none.
static int open_oldest(void) {
  char name[PATH_BYTES];
  for (age = config.log_files - 1; age > 0; age--) {
    name_file(name, age, "");
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) return fd;
  }
  return -1;
}

static void put_in_place(const char *fresh, bool ok) {
  char plain[PATH_BYTES], packed[PATH_BYTES];
  name_file(plain, age, "");
  name_file(packed, age, ".gz");
  bool kept = ok && age < config.log_files && rename(fresh, packed) == 0;
  if (kept) unlink(plain);
  else unlink(fresh);
}

static void *compress_files(void *nothing) {
  char fresh[PATH_BYTES];
  name_file(fresh, 0, ".new");
  bool ok = true;
  for (;;) {
    pthread_mutex_lock(&names);
    int from = ok && !stopping ? open_oldest() : -1;
    if (from < 0) break;
    pthread_mutex_unlock(&names);
    int to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    ok = to >= 0 && gzip_file(from, to, &stopping) == 0;
    if (to >= 0) close(to);
    close(from);
    pthread_mutex_lock(&names);
    put_in_place(fresh, ok);
    pthread_mutex_unlock(&names);
  }
  working = false;
  pthread_mutex_unlock(&names);
  return nothing;
}

// What cannot be compressed now (no memory, no space) stays as it is until the next rotation.
void log_compress(void) {
  pthread_mutex_lock(&names);
  if (!working) {
    if (started) pthread_join(compressor, NULL);
    started = working = pthread_create(&compressor, NULL, compress_files, NULL) == 0;
  }
  pthread_mutex_unlock(&names);
}

void log_compress_close(void) {
  if (!started) return;
  stopping = true;
  pthread_join(compressor, NULL);
}

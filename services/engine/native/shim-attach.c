// The attach socket: several clients see the output and may write to standard input. A client's first byte says
// which streams it wants (bit 0 in, bit 1 out, bit 2 err); `+` answers it, and from then on nothing is missed. With bit 3
// the answer also tells where the log ends at this moment (`+INODE OFFSET\n`), and the output goes on exactly there.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  GREETED = 0x80,
  ALL_STREAMS = 7,
  AFTER_LOG = 8,
  GREETING_MS = 10000,
  LAST_WORDS_MS = 30000, // how long clients may take to read the rest after the end
};

static void listener_ready(struct source *source, uint32_t events);

static struct source listener = {-1, 0, listener_ready};
static struct client *clients;
static size_t client_count;
static bool finished;

static bool wants(const struct client *client, enum stream stream) {
  return (client->wants & GREETED) && (client->wants & (1 << stream));
}

static void drop(struct client *client) {
  for (struct client **at = &clients; *at != NULL; at = &(*at)->next) {
    if (*at != client) continue;
    *at = client->next;
    break;
  }
  client_count--;
  // What the client still wrote is taken out first: closing over it would look to the client like a broken connection.
  char rest[4096];
  shutdown(client->source.fd, SHUT_RDWR);
  while (recv(client->source.fd, rest, sizeof rest, MSG_DONTWAIT) > 0) {
  }
  close_source(&client->source);
  free(client->backlog);
  free(client);
}

static void hold_or_go_on(void) {
  bool full = false;
  for (struct client *client = clients; client != NULL; client = client->next)
    if (client->length > BACKLOG_BYTES) full = true;
  streams_hold(full);
}

// With nothing to wait for, EPOLLPRI (which never comes) still tells of a client that has gone.
static void interest(struct client *client) {
  bool reads = !client->input_ended && (!wants(client, STDIN) || stdin_accepts());
  uint32_t events = (reads ? EPOLLIN : 0) | (client->length > 0 ? EPOLLOUT : 0);
  watch(&client->source, events != 0 ? events : EPOLLPRI);
}

static void input_ended(struct client *client) {
  client->input_ended = true;
  if (wants(client, STDIN) && config.stdin_once) stdin_finish();
}

// false, here and below: the client is of no more use.
static bool greet_after_log(struct client *client) {
  uint64_t inode = 0;
  int64_t offset = 0;
  log_mark(&inode, &offset);
  char text[64];
  int length = snprintf(text, sizeof text, "+%llu %lld\n", (unsigned long long)inode, (long long)offset);
  if (send(client->source.fd, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) != length) return false;
  for (int stream = STDOUT; inode != 0 && stream <= STDERR; stream++) {
    const char *bytes;
    size_t rest = log_rest((enum stream)stream, &bytes);
    if (rest > 0 && wants(client, (enum stream)stream) && client_send(client, (enum stream)stream, bytes, rest) < 0)
      return false;
  }
  return true;
}

static bool greet(struct client *client, char byte) {
  client->wants = (uint8_t)(GREETED | (byte & ALL_STREAMS));
  if (byte & AFTER_LOG) return greet_after_log(client);
  return send(client->source.fd, "+", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

static bool read_input(struct client *client) {
  static char bytes[READ_BYTES];
  bool greeted = (client->wants & GREETED) != 0;
  ssize_t n = recv(client->source.fd, bytes, greeted ? sizeof bytes : 1, MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) {
    input_ended(client);
    return greeted;
  }
  if (!greeted) return greet(client, bytes[0]);
  if (wants(client, STDIN)) stdin_write(bytes, (size_t)n);
  return true;
}

static void client_ready(struct source *source, uint32_t events) {
  struct client *client = (struct client *)source;
  bool alive = true;
  if (events & EPOLLIN) alive = read_input(client);
  else if (events & (EPOLLHUP | EPOLLERR)) {
    // Gone; but what it wrote before still goes to the process.
    if (client->input_ended || !wants(client, STDIN)) alive = false;
    else if (stdin_accepts()) alive = read_input(client);
    else {
      watch(source, 0);
      return;
    }
  }
  if (alive && (events & EPOLLOUT)) alive = client_flush(client) == 0;
  if (alive && finished && client->length == 0) alive = false;
  if (!alive) {
    if (!client->input_ended) input_ended(client);
    drop(client);
  } else interest(client);
  hold_or_go_on();
}

static void add_client(int fd, uint8_t first_wants) {
  struct client *client = client_count < MAX_CLIENTS ? calloc(1, sizeof *client) : NULL;
  if (client == NULL) {
    close(fd);
    return;
  }
  client->source = (struct source){fd, 0, client_ready};
  client->wants = first_wants;
  client->silent_since = now_ms();
  client->next = clients;
  clients = client;
  client_count++;
  interest(client);
}

static void listener_ready(struct source *source, uint32_t events) {
  (void)events;
  int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0) add_client(fd, 0);
}

int open_attach(int inherited) {
  if (inherited >= 0) add_client(inherited, GREETED | ALL_STREAMS);
  if (is_exec) return 0;
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "attach.sock"};
  listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener.fd < 0 || bind(listener.fd, (struct sockaddr *)&address, sizeof address) < 0) return -1;
  return listen(listener.fd, 16) < 0 ? -1 : watch(&listener, EPOLLIN);
}

void attach_write(enum stream stream, const char *bytes, size_t length) {
  for (struct client *client = clients, *next; client != NULL; client = next) {
    next = client->next;
    if (!wants(client, stream)) continue;
    if (client_send(client, stream, bytes, length) < 0) {
      if (!client->input_ended) input_ended(client);
      drop(client);
    } else interest(client);
  }
  hold_or_go_on();
}

void attach_stdin_changed(void) {
  for (struct client *client = clients; client != NULL; client = client->next) interest(client);
}

// The end: those who have read everything go, the others may still read.
void attach_finish(void) {
  finished = true;
  close_source(&listener);
  for (struct client *client = clients, *next; client != NULL; client = next) {
    next = client->next;
    if (client->length == 0) drop(client);
  }
}

bool attach_idle(void) { return clients == NULL; }

static int64_t patience(const struct client *client) {
  if (!(client->wants & GREETED)) return client->silent_since + GREETING_MS;
  if (client->length == 0) return 0;
  int64_t limit = finished && config.client_ms > LAST_WORDS_MS ? LAST_WORDS_MS : config.client_ms;
  return client->silent_since + limit;
}

int64_t attach_deadline(void) {
  int64_t at = 0;
  for (struct client *client = clients; client != NULL; client = client->next) at = sooner(at, patience(client));
  return at;
}

void attach_expire(int64_t now) {
  for (struct client *client = clients, *next; client != NULL; client = next) {
    next = client->next;
    int64_t at = patience(client);
    if (at == 0 || now < at) continue;
    if (!client->input_ended) input_ended(client);
    drop(client);
    hold_or_go_on();
  }
}

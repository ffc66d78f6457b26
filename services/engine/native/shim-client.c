// One attached client: what it is sent, framed or raw, and what waits until it reads.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { SMALLEST_BACKLOG = 16 * 1024 };

static int keep(struct client *client, const char *bytes, size_t length) {
  if (client->length == 0) client->silent_since = now_ms();
  if (client->start > 0 && client->start + client->length + length > client->capacity) {
    memmove(client->backlog, client->backlog + client->start, client->length);
    client->start = 0;
  }
  size_t needed = client->length + length;
  if (needed > client->capacity) {
    size_t capacity = client->capacity == 0 ? SMALLEST_BACKLOG : client->capacity;
    while (capacity < needed) capacity *= 2;
    char *grown = capacity > MAX_BACKLOG_BYTES ? NULL : realloc(client->backlog, capacity);
    if (grown == NULL) return -1;
    client->backlog = grown;
    client->capacity = capacity;
  }
  memcpy(client->backlog + client->start + client->length, bytes, length);
  client->length += length;
  return 0;
}

static ssize_t send_parts(int fd, struct iovec *parts, size_t count) {
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
  for (;;) {
    ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return n;
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return -1;
  }
}

// 8 bytes before each piece: the stream and the length. With a terminal there is one stream and no frame.
int client_send(struct client *client, enum stream stream, const char *bytes, size_t length) {
  unsigned char header[8] = {(unsigned char)stream, 0, 0, 0, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
                             (unsigned char)(length >> 8), (unsigned char)length};
  size_t header_length = config.tty ? 0 : sizeof header;
  struct iovec parts[2] = {{.iov_base = header, .iov_len = header_length},
                           {.iov_base = (char *)bytes, .iov_len = length}};
  ssize_t sent = client->length > 0 ? 0 : send_parts(client->source.fd, parts, 2);
  if (sent < 0) return -1;
  size_t done = (size_t)sent;
  if (done < header_length && keep(client, (char *)header + done, header_length - done) < 0) return -1;
  size_t of_bytes = done > header_length ? done - header_length : 0;
  return of_bytes < length ? keep(client, bytes + of_bytes, length - of_bytes) : 0;
}

int client_flush(struct client *client) {
  while (client->length > 0) {
    struct iovec part = {.iov_base = client->backlog + client->start, .iov_len = client->length};
    ssize_t n = send_parts(client->source.fd, &part, 1);
    if (n < 0) return -1;
    if (n == 0) return 0;
    client->start += (size_t)n;
    client->length -= (size_t)n;
    client->silent_since = now_ms();
  }
  free(client->backlog);
  client->backlog = NULL;
  client->start = client->capacity = 0;
  return 0;
}

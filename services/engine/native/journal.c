// Hands entries to the journal of this machine, which takes datagrams of its own socket alone.
//   journal SOCKET
// Reads entries, each behind four bytes of length, and writes a byte for each that was taken. Ends with the first that
// was not, and says why.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_ENTRY_BYTES = 64 * 1024 * 1024 };

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return 1;
}

static int read_all(void *into, size_t length) {
  for (size_t filled = 0; filled < length;) {
    ssize_t n = read(STDIN_FILENO, (char *)into + filled, length - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return -1;
    filled += (size_t)n;
  }
  return 0;
}

// What is too long for a datagram goes as a sealed file in memory.
static int sealed_file(const char *bytes, size_t length) {
  int fd = memfd_create("journal-entry", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  for (size_t written = 0; written < length;) {
    ssize_t n = write(fd, bytes + written, length - written);
    if (n < 0) {
      close(fd);
      return -1;
    }
    written += (size_t)n;
  }
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return fd;
}

static int send_file(int journal, const char *bytes, size_t length) {
  int fd = sealed_file(bytes, length);
  if (fd < 0) return -1;
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {0};
  struct msghdr message = {.msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(head), &fd, sizeof fd);
  ssize_t sent = sendmsg(journal, &message, MSG_NOSIGNAL);
  int error = errno;
  close(fd);
  errno = error;
  return sent < 0 ? -1 : 0;
}

static int send_entry(int journal, const char *bytes, size_t length) {
  if (send(journal, bytes, length, MSG_NOSIGNAL) >= 0) return 0;
  return errno == EMSGSIZE || errno == ENOBUFS ? send_file(journal, bytes, length) : -1;
}

static int open_journal(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return -1;
  return fd;
}

int main(int count, char **args) {
  if (count != 2) return 64;
  int journal = open_journal(args[1]);
  if (journal < 0) return fail(args[1]);
  for (;;) {
    unsigned char head[4];
    if (read_all(head, sizeof head) < 0) return 0;
    size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    char *bytes = length <= MAX_ENTRY_BYTES ? malloc(length + 1) : NULL;
    if (bytes == NULL || read_all(bytes, length) < 0) return fail("an entry");
    if (send_entry(journal, bytes, length) < 0) return fail(args[1]);
    free(bytes);
    if (write(STDOUT_FILENO, ".", 1) != 1) return 1;
  }
}

// The terminal: a pty of the container's own. The runtime makes it and sends its master over a socket; for an exec it is
// made here, and has its size before anybody can look.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int console = -1;

int open_console_socket(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "console.sock"};
  unlinkat(folder_fd, "console.sock", 0);
  // Relative: the shim stands in its folder, however long the folder's path is.
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 1) < 0) return -1;
  return fd;
}

static int take_descriptor(struct msghdr *message) {
  int fd = -1;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    memcpy(&fd, CMSG_DATA(part), sizeof fd);
  }
  return fd;
}

// -1 when none has been sent.
int receive_console(int listener) {
  int sender = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (sender < 0) return -1;
  struct timeval limit = {.tv_sec = 10};
  setsockopt(sender, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char name[4096];
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {.iov_base = name, .iov_len = sizeof name};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t n;
  do n = recvmsg(sender, &message, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  console = n < 0 ? -1 : take_descriptor(&message);
  close(sender);
  if (console >= 0 && config.rows > 0) resize_console(config.rows, config.columns);
  return console;
}

// Links that the container put there lead nowhere but into the container.
static int open_in_container(pid_t container, const char *path) {
  char root[64];
  snprintf(root, sizeof root, "/proc/%d/root", (int)container);
  int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct open_how how = {.flags = O_RDWR | O_NOCTTY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
  int fd = folder < 0 ? -1 : (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
  if (folder >= 0) close(folder);
  return fd;
}

int open_terminal(pid_t container, int *slave) {
  int unlocked = 0, master = open_in_container(container, "dev/pts/ptmx");
  struct statfs status;
  if (master >= 0 && (fstatfs(master, &status) < 0 || status.f_type != DEVPTS_SUPER_MAGIC)) {
    close(master);
    master = -1;
    errno = ENOTTY;
  }
  if (master < 0 || ioctl(master, TIOCSPTLCK, &unlocked) < 0) return -1;
  *slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  console = master;
  if (*slave >= 0 && config.rows > 0) resize_console(config.rows, config.columns);
  return *slave < 0 ? -1 : master;
}

int resize_console(unsigned short rows, unsigned short columns) {
  struct winsize size = {.ws_row = rows, .ws_col = columns};
  if (console < 0) {
    errno = ENOTTY;
    return -1;
  }
  return ioctl(console, TIOCSWINSZ, &size);
}

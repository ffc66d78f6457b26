// A plugin for tests: a volume driver and a log driver in one program, which speaks just enough HTTP. Volumes are
// folders in /mnt/volumes (a file system in memory is mounted there while somebody has one, where it may mount), logs
// are files in /logs. Options of a volume make it misbehave: hang, fail, link, long, die.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char request[65536];
static const char *body = "";

// The text of a field, whatever object it stands in.
static const char *field(const char *name, char *into, size_t size) {
  char mark[64];
  snprintf(mark, sizeof mark, "\"%s\":\"", name);
  const char *at = strstr(body, mark);
  *into = 0;
  if (at == NULL) return into;
  at += strlen(mark);
  size_t n = 0;
  while (at[n] && at[n] != '"' && n + 1 < size) into[n] = at[n], n++;
  into[n] = 0;
  return into;
}

static void answer(int to, const char *format, ...) {
  char text[16384];
  va_list values;
  va_start(values, format);
  int n = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  dprintf(to, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s", n, text);
}

static int entries(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  if (folder == NULL) return -1;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void read_line(const char *path, const char *start, char *into, size_t size) {
  FILE *file = fopen(path, "r");
  char line[512];
  *into = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, start, strlen(start)) == 0) {
      snprintf(into, size, "%s", line + strlen(start));
      into[strcspn(into, "\n")] = 0;
      while (*into == '\t' || *into == ' ') memmove(into, into + 1, strlen(into));
    }
  if (file != NULL) fclose(file);
}

static char **arguments;

// What it sees of itself.
static void describe_self(int to) {
  char caps[64], cwd[PATH_MAX];
  read_line("/proc/self/status", "CapEff:", caps, sizeof caps);
  answer(to, "{\"Volume\":{\"Name\":\"self\",\"Status\":{\"caps\":\"%s\",\"links\":%d,\"debug\":\"%s\",\"argument\":\"%s\",\"cwd\":\"%s\",\"uid\":%d,\"processes\":%s,\"state\":%s,\"null\":%s,\"kmsg\":%s}},\"Err\":\"\"}",
         caps, entries("/sys/class/net"), getenv("DEBUG") ?: "", arguments[1] ?: "", getcwd(cwd, sizeof cwd), (int)getuid(),
         getpid() > 1000 ? "true" : "false", access("/state/given", F_OK) == 0 ? "true" : "false",
         access("/dev/null", F_OK) == 0 ? "true" : "false", access("/dev/kmsg", F_OK) == 0 ? "true" : "false");
}

static void volume_call(int to, const char *method) {
  char name[256], id[256], path[600], state[600], user[900];
  field("Name", name, sizeof name);
  snprintf(path, sizeof path, "/mnt/volumes/%s", name);
  snprintf(state, sizeof state, "/users/%s", name);
  snprintf(user, sizeof user, "%s/%s", state, field("ID", id, sizeof id));
  bool is_known = access(state, F_OK) == 0;
  if (strcmp(method, "Capabilities") == 0) return answer(to, "{\"Capabilities\":{\"Scope\":\"global\"}}");
  if (strcmp(method, "Create") == 0) {
    char option[64];
    if (*field("hang", option, sizeof option)) for (;;) pause();
    if (*field("fail", option, sizeof option)) return answer(to, "{\"Err\":\"no room for %s\"}", name);
    if (*field("die", option, sizeof option)) kill(getppid(), SIGKILL), _exit(1);
    mkdir(state, 0755);
    if (*field("link", option, sizeof option)) symlink(option, path);
    else mkdir(path, 0755);
    return answer(to, "{\"Err\":\"\"}");
  }
  if (strcmp(method, "List") == 0) {
    char list[8192] = "";
    DIR *folder = opendir("/users");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
      if (entry->d_name[0] != '.') {
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s{\"Name\":\"%s\",\"Mountpoint\":\"/mnt/volumes/%s\"}", n ? "," : "", entry->d_name, entry->d_name);
      }
    return answer(to, "{\"Volumes\":[%s],\"Err\":\"\"}", list);
  }
  if (strcmp(method, "Get") == 0 && strcmp(name, "self") == 0) return describe_self(to);
  if (!is_known) return answer(to, "{\"Err\":\"no such volume: %s\"}", name);
  if (strcmp(method, "Get") == 0)
    return answer(to, "{\"Volume\":{\"Name\":\"%s\",\"Mountpoint\":\"%s\",\"Status\":{\"mounts\":%d}},\"Err\":\"\"}", name, path, entries(state));
  if (strcmp(method, "Mount") == 0) {
    struct stat status;
    bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    if (entries(state) == 0 && !is_link) mount("sample", path, "tmpfs", 0, "size=1m");
    close(open(user, O_CREAT | O_WRONLY, 0600));
    return answer(to, "{\"Mountpoint\":\"%s\",\"Err\":\"\"}", path);
  }
  if (strcmp(method, "Unmount") == 0) {
    if (unlink(user) < 0) return answer(to, "{\"Err\":\"%s does not have it\"}", id);
    if (entries(state) == 0) umount2(path, MNT_DETACH);
    return answer(to, "{\"Err\":\"\"}");
  }
  if (strcmp(method, "Remove") == 0) {
    if (rmdir(state) < 0) return answer(to, "{\"Err\":\"%s is mounted\"}", name);
    if (rmdir(path) < 0) unlink(path);
    return answer(to, "{\"Err\":\"\"}");
  }
  answer(to, "{\"Mountpoint\":\"%s\",\"Err\":\"\"}", path);
}

static void copy(int from, int to) {
  char block[4096];
  for (ssize_t n; (n = read(from, block, sizeof block)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || write(to, block, (size_t)n) != n) return;
  }
}

static void log_call(int to, const char *method) {
  char file[512], container[128], path[256], option[64];
  field("File", file, sizeof file);
  snprintf(path, sizeof path, "/logs/%s", field("ContainerID", container, sizeof container));
  if (strcmp(method, "Capabilities") == 0) return answer(to, "{\"Cap\":{\"ReadLogs\":%s}}", getenv("DEBUG") && strcmp(getenv("DEBUG"), "unread") == 0 ? "false" : "true");
  if (strcmp(method, "StartLogging") == 0) {
    if (*field("refuse", option, sizeof option)) return answer(to, "{\"Err\":\"option refuse is %s\"}", option);
    // Opened by another process, so that whoever starts logging may write once it is told.
    int from = open(file, O_RDONLY | O_NONBLOCK);
    if (from < 0) return answer(to, "{\"Err\":\"%s: %s\"}", file, strerror(errno));
    fcntl(from, F_SETFL, 0);
    answer(to, "{\"Err\":\"\"}");
    close(to);
    int kept = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    // A pipe whose writer has yet to come is at its end already.
    for (char block[4096];;) {
      ssize_t n = read(from, block, sizeof block);
      if (n > 0 && write(kept, block, (size_t)n) != n) _exit(1);
      if (n > 0) continue;
      if (access(file, F_OK) < 0) _exit(0);
      usleep(10000);
    }
  }
  if (strcmp(method, "StopLogging") == 0) return answer(to, "{\"Err\":\"\"}");
  dprintf(to, "HTTP/1.1 200 OK\r\ncontent-type: application/x-json-stream\r\nconnection: close\r\n\r\n");
  int kept = open(path, O_RDONLY);
  if (kept >= 0) copy(kept, to);
}

static void serve(int to) {
  size_t length = 0, wanted = sizeof request - 1;
  while (length < wanted) {
    ssize_t n = read(to, request + length, wanted - length);
    if (n <= 0) break;
    length += (size_t)n;
    request[length] = 0;
    char *end = strstr(request, "\r\n\r\n"), *size = strcasestr(request, "content-length:");
    if (end == NULL) continue;
    body = end + 4;
    if (size == NULL || length >= (size_t)(body - request) + strtoul(size + 15, NULL, 10)) break;
  }
  char prefix[32] = "", method[32] = "";
  sscanf(request, "POST /%31[^.].%31[^ ]", prefix, method);
  if (strcmp(prefix, "VolumeDriver") == 0) volume_call(to, method);
  else if (strcmp(prefix, "LogDriver") == 0) log_call(to, method);
  else dprintf(to, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
}

int main(int argc, char **argv) {
  (void)argc;
  arguments = argv;
  const char *debug = getenv("DEBUG") ?: "";
  if (strcmp(debug, "die") == 0) return fprintf(stderr, "sample: told to die\n"), 3;
  for (size_t i = 0; i < 2; i++) mkdir(i == 0 ? "/users" : "/logs", 0755);
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, _exit);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/docker/plugins/sample.sock"};
  if (strcmp(debug, "link") == 0) {
    symlink("/proc/1/root", address.sun_path);
    for (;;) pause();
  }
  if (strcmp(debug, "silent") == 0) for (;;) pause();
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(address.sun_path);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 64) < 0) return perror("sample"), 1;
  for (;;) {
    int to = accept(listener, NULL, NULL);
    if (to < 0) continue;
    if (fork() == 0) {
      signal(SIGTERM, SIG_DFL);
      close(listener);
      serve(to);
      _exit(0);
    }
    close(to);
  }
}

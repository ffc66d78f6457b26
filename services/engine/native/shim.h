// What the parts of the shim share: its configuration, its loop, and who owns which stream.
// The shim is the one process that stands beside a container (or an exec): it outlives the engine.
#ifndef SHIM_H
#define SHIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
  LINE_BYTES = 16 * 1024,        // a longer line of the log is kept in pieces, as json-file does
  RECORD_BYTES = LINE_BYTES * 6 + 128, // such a line in JSON, at most
  READ_BYTES = 32 * 1024,        // read from a stream at once
  BACKLOG_BYTES = 1024 * 1024,   // kept for a slow client before output waits for it
  MAX_BACKLOG_BYTES = 8 * BACKLOG_BYTES, // after the end, when output waits for nobody
  MAX_CLIENTS = 64,
  MAX_CONTROLS = 16,
  MAX_LOWER = 500,               // the kernel's own limit for an overlay
  MAX_LIMITS = 16,
  EXIT_BYTES = 160,              // how a process ended, as JSON
  MAX_FILTER_BYTES = 4096 * 8,   // the kernel takes no longer seccomp filter
};

// What a container's shim hands to that of an exec.
enum { EXEC_CONTROL_FD = 3, EXEC_CLIENT_FD = 4, EXEC_PIDFD = 5 };

enum stream { STDIN = 0, STDOUT = 1, STDERR = 2 };

struct limit {
  int type;
  uint64_t soft, hard;
};

// Exec: what runs, and as whom.
struct program {
  bool is_native;          // made by the shim itself where that can be
  char **args, **env;      // NULL: none
  const char *cwd;
  uid_t uid;
  gid_t gid;
  gid_t *groups;
  size_t group_count;
  mode_t umask;
  uint64_t bounding, effective, permitted, inheritable, ambient; // capabilities, a bit each
  struct limit limits[MAX_LIMITS];
  size_t limit_count;
  bool no_new_privileges;
  const char *seccomp;     // file with the container's filter, as the runtime compiled it
};

struct config {
  const char *folder;      // sockets, pid, exit record
  const char *id;          // of the container
  const char *runtime;     // crun or runc
  const char *root;        // folder of the runtime's own state
  const char *bundle;
  const char *process;     // exec: the process as the runtime takes it, in JSON
  struct program program;
  const char *lower[MAX_LOWER];
  size_t lower_count;
  const char *upper, *work;
  char **shared;           // folders of the host whose mounts it shares
  size_t shared_count;
  const char *log;
  int64_t log_bytes;       // 0: never rotated
  int log_files;
  bool log_compress;       // older files are kept as gzip
  int64_t log_buffer;      // what may wait in memory for the log; 0: the container waits for it
  bool tty, open_stdin, stdin_once;
  unsigned short rows, columns;
  int64_t runtime_ms;      // how long the runtime may take for one call
  int64_t client_ms;       // how long a client may read nothing while output waits for it
};

extern struct config config;
extern bool is_exec;
extern int folder_fd;

// shim-config.c
int read_config(const char *path);
int receive_config(int fd); // four bytes of length, then the settings

// shim-clock.c
int64_t now_ms(void);
void format_time(char out[40]); // RFC 3339, nanoseconds, UTC
void describe_exit(char out[EXIT_BYTES], int exit_code, bool oom_killed, const char *finished_at);
int write_exit_record(const char *record);
void sync_exit_record(void);

// shim-namespace.c
int enter_namespace(void);
int mount_rootfs(void);
void unmount_rootfs(void);

// shim-shared.c
int take_shared(void);  // before the namespace is made
int place_shared(void); // in it

// shim-loop.c: one descriptor that is waited for
struct source {
  int fd; // -1: not open
  uint32_t events;
  void (*ready)(struct source *source, uint32_t events);
};
int open_loop(void);
int watch(struct source *source, uint32_t events); // 0: not watched
void close_source(struct source *source);
void run_loop(void);
int64_t sooner(int64_t a, int64_t b); // of two points in time, 0 is never

// shim-runtime.c: calls of crun and runc
struct streams { int in, out, err; };
int spawn_program(char *const args[], const struct streams *streams, pid_t *pid);
int create_process(pid_t *pid, char *error, size_t size);
int spawn_start(pid_t *pid);
int spawn_delete(pid_t *pid);
int delete_now(void);
void reap_rest(void);
int open_signals(void);

// shim-execs.c: shims for further processes in the container
int open_execs(const char *name);
void serve_execs(pid_t pid);
void close_execs(void);
int64_t execs_deadline(void);
void execs_expire(int64_t now);

// shim-enter.c, shim-inside.c, shim-user.c: such a process, made without the runtime
struct filter {
  void *bytes;
  size_t length; // 0: there is none
};
void set_container(pid_t pid);
bool can_enter(struct filter *filter);
int enter_process(const struct filter *filter, pid_t *pid, char *error, size_t size);
__attribute__((noreturn)) void run_inside(const struct streams *streams, const struct filter *filter, int words);
__attribute__((format(printf, 1, 2), noreturn)) void give_up(const char *format, ...);
void take_identity(void);
void drop_privileges(const struct filter *filter);

// shim-cgroups.c
void join_cgroups(void);
bool is_frozen(void);

// shim-console.c: the pty, made here or sent by the runtime
int open_terminal(pid_t container, int *slave);
int open_console_socket(void);
int receive_console(int listener);
int resize_console(unsigned short rows, unsigned short columns);

// shim-streams.c: the process's own streams
int open_streams(struct streams *child);
void adopt_console(int master);
void serve_streams(void);
size_t take_stderr(char *out, size_t size);
bool stdin_accepts(void);
bool stdin_is_open(void);
void stdin_write(const char *bytes, size_t length);
void stdin_finish(void);
void streams_hold(bool hold); // back-pressure: nothing is read while held
void streams_process_ended(void);
bool streams_drained(void);
void streams_close(void);
int64_t streams_deadline(void);
void streams_expire(int64_t now);

// shim-attach.c: clients that see the output
int open_attach(int inherited);
void attach_write(enum stream stream, const char *bytes, size_t length);
void attach_stdin_changed(void);
void attach_finish(void);
bool attach_idle(void);
int64_t attach_deadline(void);
void attach_expire(int64_t now);

// shim-client.c: one such client
struct client {
  struct source source;
  struct client *next;
  uint8_t wants; // bit per stream; 0 until it has said so
  bool input_ended;
  char *backlog;
  size_t start, length, capacity;
  int64_t silent_since; // since when it has not read what waits for it
};
int client_send(struct client *client, enum stream stream, const char *bytes, size_t length);
int client_flush(struct client *client);

// shim-control.c: the engine's commands
int open_control(int inherited);
void control_created(pid_t pid);
void control_failed(const char *message);
void control_started(bool ok, const char *message);
bool control_broadcast(const char *line); // true: somebody was told
void control_close(void);

// shim-log.c
int open_log(void);
void log_write(enum stream stream, const char *bytes, size_t length);
void log_flush(void);
void close_log(void);
bool log_mark(uint64_t *inode, int64_t *offset);
size_t log_rest(enum stream stream, const char **bytes);

// shim-log-file.c
bool log_file_mark(uint64_t *inode, int64_t *offset);
int log_file_open(void);
void log_file_append(const char *record, size_t size);
void log_file_flush(void);
void log_file_close(void);

// shim-log-queue.c
int log_queue_open(void);
void log_queue_put(const char *record, size_t size);
int log_queue_close(void); // -1: the log takes nothing

// shim-log-compress.c
void log_shift_files(void);
void log_compress(void);
void log_compress_close(void);

// shim-gzip.c
int gzip_file(int from, int to, const atomic_bool *stopping);

// shim-json.c
size_t json_escape(char *out, const unsigned char *bytes, size_t length); // at most 6 bytes out for each in
size_t whole_characters(const unsigned char *bytes, size_t length);

// shim-oom.c
void oom_watch(pid_t pid);
bool oom_happened(void);
void oom_close(void);
int64_t oom_deadline(void);
void oom_expire(int64_t now);

// shim-life.c: created, running, ended
enum state { CREATED, RUNNING, ENDED };
extern enum state state;
extern pid_t process_pid;
void life_begin(pid_t pid, enum state first);
int life_start(char *error, size_t size);
int life_signal(int number);
void life_reap(void);
bool life_is_over(void);
void life_step(void);
int64_t life_deadline(void);
void life_expire(int64_t now);

#endif

// Who the new process is and what it may do: user and groups, capabilities, seccomp filter.
#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CAPABILITIES = 64 };

static bool has(uint64_t set, int number) { return (set >> number & 1) != 0; }

static void set_capabilities(uint64_t effective, uint64_t permitted, uint64_t inheritable) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2];
  for (int i = 0; i < 2; i++) {
    data[i].effective = (uint32_t)(effective >> (32 * i));
    data[i].permitted = (uint32_t)(permitted >> (32 * i));
    data[i].inheritable = (uint32_t)(inheritable >> (32 * i));
  }
  if (syscall(SYS_capset, &header, data) < 0) give_up("unable to apply caps: %s", strerror(errno));
}

static uint64_t permitted_now(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capget, &header, data) < 0) give_up("unable to read caps: %s", strerror(errno));
  return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

// What is still permitted stays so for a moment: the filter can only be set with it.
void take_identity(void) {
  const struct program *program = &config.program;
  for (int number = 0; number < CAPABILITIES; number++)
    if (!has(program->bounding, number) && prctl(PR_CAPBSET_DROP, number, 0, 0, 0) < 0 && errno != EINVAL)
      give_up("unable to apply bounding set: %s", strerror(errno));
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0) give_up("unable to keep caps: %s", strerror(errno));
  if (setgroups(program->group_count, program->groups) < 0) give_up("unable to set groups: %s", strerror(errno));
  if (setresgid(program->gid, program->gid, program->gid) < 0) give_up("unable to set gid: %s", strerror(errno));
  if (setresuid(program->uid, program->uid, program->uid) < 0) give_up("unable to set uid: %s", strerror(errno));
}

static void set_filter(const struct filter *filter) {
  if (filter->length == 0) return;
  struct sock_fprog program = {.len = (unsigned short)(filter->length / sizeof(struct sock_filter)),
                               .filter = filter->bytes};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
    give_up("unable to set the seccomp filter: %s", strerror(errno));
}

// Without `no_new_privileges` the filter needs CAP_SYS_ADMIN, so it comes before the capabilities go.
void drop_privileges(const struct filter *filter) {
  const struct program *program = &config.program;
  if (!program->no_new_privileges) {
    uint64_t all = permitted_now();
    set_capabilities(all, all, 0);
    set_filter(filter);
  }
  set_capabilities(program->effective, program->permitted, program->inheritable);
  for (int number = 0; number < CAPABILITIES; number++)
    if (has(program->ambient, number) && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) < 0)
      give_up("unable to set ambient caps: %s", strerror(errno));
  if (!program->no_new_privileges) return;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) give_up("unable to set no new privileges: %s", strerror(errno));
  set_filter(filter);
}

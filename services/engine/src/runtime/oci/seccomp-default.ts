// The system calls a container may make when nothing else is said. What reaches past the container (keys of the kernel,
// other kernels, modules, mounts, clocks, swap, io_uring, userfaultfd) is not in the list, or wants the capability for it.
import type { SeccompProfile } from './seccomp-profile.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

/** By what they are about. Names of other architectures and of older ABIs are passed over where they do not exist. */
const allowed: Readonly<Record<string, string>> = {
  files: `access chmod close close_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 fadvise64_64 fallocate
    fchmod fchmodat fchmodat2 fcntl fcntl64 fdatasync flock fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate
    ftruncate64 futimesat ioctl link linkat lseek _llseek lstat lstat64 mkdir mkdirat mknod mknodat name_to_handle_at
    newfstatat oldfstat oldlstat oldstat open openat openat2 readahead readlink readlinkat rename renameat renameat2
    rmdir stat stat64 statfs statfs64 statx symlink symlinkat sync sync_file_range sync_file_range2
    arm_sync_file_range syncfs truncate truncate64 umask unlink unlinkat utime utimensat utimensat_time64 utimes`,
  owners: `chown chown32 fchown fchown32 fchownat lchown lchown32`,
  attributes: `fgetxattr flistxattr fremovexattr fsetxattr getxattr getxattrat lgetxattr listxattr listxattrat llistxattr
    lremovexattr lsetxattr removexattr removexattrat setxattr setxattrat`,
  folders: `chdir fchdir getcwd getdents getdents64 readdir`,
  watches: `fanotify_mark inotify_add_watch inotify_init inotify_init1 inotify_rm_watch`,
  transfers: `copy_file_range pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readv sendfile sendfile64 splice tee
    vmsplice write writev`,
  asynchronous: `io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit`,
  waiting: `epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd
    eventfd2 _newselect poll ppoll ppoll_time64 pselect6 pselect6_time64 select signalfd signalfd4`,
  pipesAndSockets: `accept accept4 bind connect getpeername getsockname getsockopt listen pipe pipe2 recv recvfrom recvmmsg
    recvmmsg_time64 recvmsg send sendmmsg sendmsg sendto setsockopt shutdown socketcall socketpair`,
  memory: `brk cachestat madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mlock mlock2 mlockall mmap
    mmap2 mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect process_mrelease
    remap_file_pages`,
  processes: `execve execveat exit exit_group fork getpgid getpgrp getpid getppid getpriority getrlimit getrusage getsid
    gettid ioprio_get ioprio_set pidfd_open pidfd_send_signal prctl prlimit64 restart_syscall seccomp setpgid setpriority
    setrlimit setsid set_tid_address times ugetrlimit vfork wait4 waitid waitpid`,
  threads: `futex futex_requeue futex_time64 futex_wait futex_waitv futex_wake get_robust_list get_thread_area rseq
    set_robust_list set_thread_area`,
  scheduling: `getcpu sched_getaffinity sched_getattr sched_getparam sched_get_priority_max sched_get_priority_min
    sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam
    sched_setscheduler sched_yield`,
  identity: `capget capset getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getresgid getresgid32
    getresuid getresuid32 getuid getuid32 setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32
    setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setuid setuid32`,
  signals: `kill pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
    rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sigaltstack sigpending sigprocmask sigreturn sigsuspend
    tgkill tkill`,
  time: `adjtimex alarm clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64
    clock_nanosleep clock_nanosleep_time64 getitimer gettimeofday nanosleep setitimer time timer_create timer_delete
    timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime
    timerfd_gettime64 timerfd_settime timerfd_settime64`,
  betweenProcesses: `ipc mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend
    mq_timedsend_time64 mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop semtimedop semtimedop_time64 shmat
    shmctl shmdt shmget`,
  machine: `getrandom sysinfo uname`,
  sandboxes: `landlock_add_rule landlock_create_ruleset landlock_restrict_self`,
  /** Safe for others since a tracer cannot pass seccomp by any more. */
  tracing: `process_vm_readv process_vm_writev ptrace`,
}

/** Only with the capability. */
const byCapability: Readonly<Record<string, string>> = {
  CAP_DAC_READ_SEARCH: 'open_by_handle_at',
  CAP_SYS_ADMIN: `bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr
    move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname sethostname setns syslog umount umount2
    unshare`,
  CAP_SYS_BOOT: 'reboot',
  CAP_SYS_CHROOT: 'chroot',
  CAP_SYS_MODULE: 'delete_module finit_module init_module',
  CAP_SYS_PACCT: 'acct',
  CAP_SYS_PTRACE: 'kcmp pidfd_getfd process_madvise process_vm_readv process_vm_writev ptrace',
  CAP_SYS_RAWIO: 'ioperm iopl',
  CAP_SYS_TIME: 'clock_settime clock_settime64 settimeofday stime',
  CAP_SYS_TTY_CONFIG: 'vhangup',
  CAP_SYS_NICE: 'get_mempolicy mbind set_mempolicy set_mempolicy_home_node',
  CAP_SYSLOG: 'syslog',
  CAP_BPF: 'bpf',
  CAP_PERFMON: 'perf_event_open',
}

const byArchitecture: Readonly<Record<string, string>> = {
  amd64: 'arch_prctl modify_ldt',
  arm64: 'arm_fadvise64_64 breakpoint cacheflush set_tls sync_file_range2',
}

/** All CLONE_NEW… flags: namespaces of its own let a process reach much more of the kernel. */
const newNamespaces = 0x7e020000
/** To virtual machines on the same host, past every network rule. */
const vsockFamily = 40
const personalities = [0x0, 0x0008, 0x20000, 0x20008, 0xffffffff]
const notPermitted = 1
const notImplemented = 38
const allow = 'SCMP_ACT_ALLOW'

export const defaultProfile: SeccompProfile = {
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: notPermitted,
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86', 'SCMP_ARCH_X32'] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: ['SCMP_ARCH_ARM'] },
  ],
  syscalls: [
    { names: Object.values(allowed).flatMap(words), action: allow },
    { names: ['socket'], action: allow, args: [{ index: 0, value: vsockFamily, op: 'SCMP_CMP_NE' }] },
    ...personalities.map((value) => ({
      names: ['personality'],
      action: allow,
      args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }],
    })),
    ...Object.entries(byCapability).map(([capability, names]) => ({
      names: words(names),
      action: allow,
      includes: { caps: [capability] },
    })),
    ...Object.entries(byArchitecture).map(([architecture, names]) => ({
      names: words(names),
      action: allow,
      includes: { arches: [architecture] },
    })),
    {
      names: ['clone'],
      action: allow,
      args: [{ index: 0, value: newNamespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
      excludes: { caps: ['CAP_SYS_ADMIN'] },
    },
    // Its flags are in memory, where no filter sees them: programs fall back to clone.
    {
      names: ['clone3'],
      action: 'SCMP_ACT_ERRNO',
      errnoRet: notImplemented,
      excludes: { caps: ['CAP_SYS_ADMIN'] },
    },
  ],
}

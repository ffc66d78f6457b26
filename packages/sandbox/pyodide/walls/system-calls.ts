// Numbers of Linux's system calls on the processors we know, and what each is wanted for.

/** The call's numbers on x64 and arm64; the newer architecture does without the older forms of some. */
type Numbers = readonly [x64: number, arm64: number | undefined]

/** What Node and Python's WebAssembly need once they run: measured, with the older forms of the same calls. */
const always: Readonly<Record<string, Numbers>> = {
  // Files that are open, and those the walls let be seen.
  read: [0, 63],
  write: [1, 64],
  readv: [19, 65],
  writev: [20, 66],
  pread64: [17, 67],
  pwrite64: [18, 68],
  preadv: [295, 69],
  lseek: [8, 62],
  open: [2, undefined],
  openat: [257, 56],
  close: [3, 57],
  stat: [4, undefined],
  lstat: [6, undefined],
  fstat: [5, 80],
  newfstatat: [262, 79],
  statx: [332, 291],
  access: [21, undefined],
  faccessat: [269, 48],
  faccessat2: [439, 439],
  readlink: [89, undefined],
  readlinkat: [267, 78],
  getdents64: [217, 61],
  getcwd: [79, 17],
  fadvise64: [221, 223],
  dup: [32, 23],
  dup2: [33, undefined],
  dup3: [292, 24],
  pipe: [22, undefined],
  pipe2: [293, 59],
  // The ends of pipes to the server are sockets: they may be looked at and closed, never opened.
  getsockname: [51, 204],
  getsockopt: [55, 209],
  shutdown: [48, 210],
  // Waiting.
  poll: [7, undefined],
  ppoll: [271, 73],
  epoll_create1: [291, 20],
  epoll_ctl: [233, 21],
  epoll_wait: [232, undefined],
  epoll_pwait: [281, 22],
  eventfd2: [290, 19],
  futex: [202, 98],
  nanosleep: [35, 101],
  clock_nanosleep: [230, 115],
  restart_syscall: [219, 128],
  // Memory.
  brk: [12, 214],
  mprotect: [10, 226],
  pkey_mprotect: [329, 288],
  pkey_alloc: [330, 289],
  pkey_free: [331, 290],
  munmap: [11, 215],
  mremap: [25, 216],
  madvise: [28, 233],
  mincore: [27, 232],
  membarrier: [324, 283],
  // Its own threads and signals.
  exit: [60, 93],
  exit_group: [231, 94],
  set_tid_address: [218, 96],
  set_robust_list: [273, 99],
  rseq: [334, 293],
  arch_prctl: [158, undefined],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  sigaltstack: [131, 132],
  sched_yield: [24, 124],
  sched_getaffinity: [204, 123],
  sched_getparam: [143, 121],
  sched_getscheduler: [145, 120],
  sched_get_priority_max: [146, 125],
  sched_get_priority_min: [147, 126],
  // What it is and what the time is.
  getpid: [39, 172],
  getppid: [110, 173],
  gettid: [186, 178],
  getuid: [102, 174],
  geteuid: [107, 175],
  getgid: [104, 176],
  getegid: [108, 177],
  capget: [125, 90],
  getrlimit: [97, 163],
  getrusage: [98, 165],
  times: [100, 153],
  getcpu: [309, 168],
  uname: [63, 160],
  sysinfo: [99, 179],
  getrandom: [318, 278],
  time: [201, undefined],
  gettimeofday: [96, 169],
  clock_gettime: [228, 113],
  clock_getres: [229, 114],
  // Becoming Node comes after the filter; there is no other program to become.
  execve: [59, 221],
}

/** Only with certain arguments: see the filter. */
const sometimes = {
  clone: [56, 220],
  mmap: [9, 222],
  prctl: [157, 167],
  ioctl: [16, 29],
  fcntl: [72, 25],
  prlimit64: [302, 261],
} as const satisfies Readonly<Record<string, Numbers>>

/** For building the walls, before the filter. */
const building = {
  unshare: [272, 97],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  mount_setattr: [442, 442],
  prctl: [157, 167],
  prlimit64: [302, 261],
  capset: [126, 91],
  setgroups: [116, 159],
  setresgid: [119, 149],
  setresuid: [117, 147],
  seccomp: [317, 277],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
} as const satisfies Readonly<Record<string, Numbers>>

export interface SystemCalls {
  /** What the kernel's filter calls the processor. */
  auditName: number
  always: number[]
  sometimes: Record<keyof typeof sometimes, number>
  building: Record<keyof typeof building, number>
}

/** Undefined for processors whose numbers are not known. */
export function systemCallsOf(architecture: string): SystemCalls | undefined {
  if (architecture === 'x64') return tableOf(0, 0xc000003e)
  if (architecture === 'arm64') return tableOf(1, 0xc00000b7)
  return undefined
}

function tableOf(column: 0 | 1, auditName: number): SystemCalls {
  const pick = <Name extends string>(table: Readonly<Record<Name, Numbers>>): Record<Name, number> =>
    Object.fromEntries(
      Object.entries<Numbers>(table).flatMap(([name, numbers]) => {
        const number = numbers[column]
        return number === undefined ? [] : [[name, number]]
      }),
    ) as Record<Name, number>
  return {
    auditName,
    always: Object.values(pick(always)),
    sometimes: pick(sometimes),
    building: pick(building),
  }
}

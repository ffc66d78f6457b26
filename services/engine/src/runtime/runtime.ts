// Runs processes in containers. Behind it: one shim process per container and exec, and crun or runc.
// Every call has a deadline and rejects with an error of the catalogue when the runtime does not answer.
import type { Duplex } from 'node:stream'

/** What a container is made of when it starts. All folders exist; nothing is mounted yet. */
export interface ContainerProcess {
  id: string
  /** `crun`, `runc`, or a name of the configuration. */
  runtime: string
  /** An OCI runtime configuration (config.json) whose root.path is `rootfs`, relative to the bundle. */
  spec: OciSpec
  rootfs: Rootfs
  tty: boolean
  /** Rows and columns of the terminal at its start. */
  consoleSize?: [rows: number, columns: number]
  openStdin: boolean
  /** Standard input closes when the first attached client closes its side. */
  stdinOnce: boolean
  log: LogSettings
}

/** Folders of an overlay; the lower ones from the top down. */
export interface Rootfs {
  lower: string[]
  upper: string
  work: string
}

export interface LogSettings {
  /** Absent: nothing is kept (log driver `none`). */
  path?: string
  maxBytes: number
  maxFiles: number
  /** Older files are kept as gzip. */
  compress?: boolean
  /** The container never waits for its log: so much may wait for it in memory, and the rest is dropped. */
  bufferBytes?: number
}

export interface ExitRecord {
  /** 128 + signal when a signal ended it. */
  exitCode: number
  oomKilled: boolean
  /** RFC 3339 with nanoseconds. */
  finishedAt: string
}

export interface ExecProcess {
  execId: string
  containerId: string
  /** The process part of an OCI configuration: args, env, cwd, user, capabilities, terminal. */
  process: OciProcess
  tty: boolean
  consoleSize?: [rows: number, columns: number]
  openStdin: boolean
}

/** What comes out of an attached process: 8-byte-framed as clients want it, or raw with a terminal. */
export interface AttachedStreams {
  /**
   * Reading: frames `[stream, 0, 0, 0, length as uint32 BE]` + bytes (raw bytes with a terminal), ends with the process.
   * Writing: standard input; ending the writable side closes it for this client.
   */
  connection: Duplex
  /** Where the log ended at the moment of attaching; what comes by the connection follows there. */
  logEnd?: LogPosition
}

export interface LogPosition {
  /** Of the file. */
  inode: bigint
  position: number
}

/** What a client is to see and may write; all unless told. Without `stdin`, ending the writable side closes nothing. */
export interface AttachOptions {
  stdin?: boolean
  stdout?: boolean
  stderr?: boolean
  /** The streams begin exactly where the log ends: `logEnd` is wanted. */
  afterLog?: boolean
}

export interface Runtime {
  /** The process exists with its namespaces (pid on the host), and waits. Mounts the root file system. */
  create(process: ContainerProcess): Promise<{ pid: number }>
  /** Lets the created process run its program. */
  start(id: string): Promise<void>
  /** Resolves when the process has ended and everything of it is cleaned up; also for one found again after a restart. */
  exited(id: string): Promise<ExitRecord>
  /** Resolves when its process has ended and is being cleaned up: its networks can go meanwhile. May never resolve. */
  ending?(id: string): Promise<void>
  /** Signal by number, to the container's first process. */
  signal(id: string, signal: number): Promise<void>
  pause(id: string): Promise<void>
  resume(id: string): Promise<void>
  /** New limits for a running container: the `linux.resources` part of a configuration. */
  update(id: string, resources: OciResources): Promise<void>
  /** May be called from `create` on, before `start`: nothing that is written is missed. */
  attach(id: string, wanted?: AttachOptions): Promise<AttachedStreams>
  resize(id: string, rows: number, columns: number): Promise<void>
  /** Process ids on the host. */
  processes(id: string): Promise<number[]>
  usage(id: string): Promise<CgroupUsage>
  exec(process: ExecProcess): Promise<{ pid: number; streams: AttachedStreams }>
  execExited(execId: string): Promise<{ exitCode: number }>
  execResize(execId: string, rows: number, columns: number): Promise<void>
  execSignal(execId: string, signal: number): Promise<void>
  /** After a restart of the engine: finds shims and exit records again. Never kills what runs. */
  restore(ids: readonly string[]): Promise<Map<string, RestoredContainer>>
  /** Ends and forgets whatever there is of it; nothing is left of mounts, cgroups and folders of the runtime. */
  destroy(id: string): Promise<void>
  /** Told each time the kernel killed a process of a container for want of memory. */
  onOutOfMemory?(listener: (id: string) => void): void
  versions(): Promise<{ runtimes: Record<string, { path: string; version: string }> }>
}

export type RestoredContainer =
  | { state: 'running' | 'paused' | 'created'; pid: number }
  | { state: 'exited'; exit: ExitRecord }
  /** Nothing is left of it. */
  | { state: 'gone' }

export interface CgroupUsage {
  readAt: string
  pids: { current: number; limit?: number }
  cpu: {
    totalNanoseconds: number
    userNanoseconds: number
    systemNanoseconds: number
    perCpuNanoseconds: number[]
    onlineCpus: number
    /** Of the whole host. */
    hostNanoseconds: number
    throttling: { periods: number; throttledPeriods: number; throttledNanoseconds: number }
  }
  memory: { usage: number; maxUsage: number; failures: number; limit: number; details: Record<string, number> }
  blockIo: Record<string, { major: number; minor: number; op: string; value: number }[]>
}

/** As in the OCI runtime specification 1.0; only what we set. */
export interface OciSpec {
  ociVersion: string
  process: OciProcess
  root: { path: string; readonly?: boolean }
  hostname?: string
  domainname?: string
  mounts: { destination: string; type: string; source: string; options: string[] }[]
  hooks?: Record<string, unknown>
  annotations?: Record<string, string>
  linux: {
    namespaces: { type: string; path?: string }[]
    resources: OciResources
    cgroupsPath: string
    sysctl?: Record<string, string>
    seccomp?: unknown
    maskedPaths?: string[]
    readonlyPaths?: string[]
    devices?: {
      path: string
      type: string
      major: number
      minor: number
      fileMode?: number
      uid?: number
      gid?: number
    }[]
    rootfsPropagation?: string
    uidMappings?: { containerID: number; hostID: number; size: number }[]
    gidMappings?: { containerID: number; hostID: number; size: number }[]
  }
}

export interface OciProcess {
  terminal: boolean
  consoleSize?: { height: number; width: number }
  user: { uid: number; gid: number; additionalGids?: number[]; umask?: number }
  args: string[]
  env: string[]
  cwd: string
  capabilities?: Record<'bounding' | 'effective' | 'permitted' | 'inheritable' | 'ambient', string[]>
  rlimits?: { type: string; soft: number; hard: number }[]
  noNewPrivileges?: boolean
  oomScoreAdj?: number
  apparmorProfile?: string
}

export interface OciResources {
  devices?: { allow: boolean; type?: string; major?: number; minor?: number; access: string }[]
  memory?: {
    limit?: number
    reservation?: number
    swap?: number
    swappiness?: number
    disableOOMKiller?: boolean
    kernelTCP?: number
  }
  cpu?: {
    shares?: number
    quota?: number
    period?: number
    realtimeRuntime?: number
    realtimePeriod?: number
    cpus?: string
    mems?: string
  }
  pids?: { limit: number }
  blockIO?: {
    weight?: number
    weightDevice?: { major: number; minor: number; weight: number }[]
    throttleReadBpsDevice?: { major: number; minor: number; rate: number }[]
    throttleWriteBpsDevice?: { major: number; minor: number; rate: number }[]
    throttleReadIOPSDevice?: { major: number; minor: number; rate: number }[]
    throttleWriteIOPSDevice?: { major: number; minor: number; rate: number }[]
  }
  hugepageLimits?: { pageSize: string; limit: number }[]
}

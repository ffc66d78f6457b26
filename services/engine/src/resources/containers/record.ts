// What the engine remembers of a container: the one row that all parts read. Written before anything is acknowledged.
import type { Rootfs } from '../../runtime/runtime.ts'
import type { ContainerConfig, EndpointSettings, HostConfig } from './schema.ts'

export type ContainerStatus = 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead'

export interface HealthProbe {
  Start: string
  End: string
  ExitCode: number
  Output: string
}

export interface HealthState {
  Status: 'none' | 'starting' | 'healthy' | 'unhealthy'
  FailingStreak: number
  /** The last five. */
  Log: HealthProbe[]
}

export interface ContainerState {
  status: ContainerStatus
  /** On the host; 0 when nothing runs. */
  pid: number
  exitCode: number
  /** Why the last start failed; empty otherwise. */
  error: string
  oomKilled: boolean
  /** RFC 3339 with nanoseconds; '0001-01-01T00:00:00Z' for never. */
  startedAt: string
  finishedAt: string
  health?: HealthState
  /** Being removed, its volumes without a name with it. */
  removesVolumes?: boolean
  /** Stopped by a caller: the restart policy `unless-stopped` looks at it. */
  stoppedByCaller: boolean
}

/** One mount inside the container, as resolved from Binds, Volumes, Mounts and Tmpfs. */
export interface MountPoint {
  Type: 'bind' | 'volume' | 'tmpfs'
  /** Of a volume. */
  Name?: string
  /** Folder on the host; empty for tmpfs. */
  Source: string
  Destination: string
  Driver?: string
  /** As asked for: `z`, `rslave`, … */
  Mode: string
  RW: boolean
  Propagation: string
  /** What the runtime needs beyond that. */
  options?: {
    nonRecursive?: boolean
    readOnlyNonRecursive?: boolean
    readOnlyForceRecursive?: boolean
    createMountpoint?: boolean
    /** Nobody asked for the propagation that it has: it may have less. */
    impliedPropagation?: boolean
    /** tmpfs: size=…, mode=…, and further options. */
    tmpfs?: string[]
    /** Volume: a folder inside it. */
    subpath?: string
    /** Volume: what is mounted in its place, by the driver's options. */
    device?: { type: string; source: string; flags: string[] }
    /** Volume of a driver: the folder of the host that its place has to lie in. */
    within?: string
    /** Volume: made for this container alone, without a name. */
    anonymous?: boolean
    /** Volume: image content is not copied into it. */
    noCopy?: boolean
  }
}

export interface ContainerRecord {
  /** 64 hexadecimal digits. */
  id: string
  /** Without the slash. */
  name: string
  /** RFC 3339 with nanoseconds. */
  created: string
  /** `sha256:…` of the image's configuration. */
  imageId: string
  /** As asked for: `busybox`, `busybox:latest`, an id. */
  imageName: string
  /** `linux` */
  os: string
  /** With what the image says merged in. */
  config: ContainerConfig
  hostConfig: HostConfig
  /** By network name, in the order of the request; what was asked for, and once running what was given. */
  endpoints: Record<string, EndpointSettings>
  /** What was asked for alone: the endpoints of a container at rest. */
  askedEndpoints?: Record<string, EndpointSettings>
  mounts: MountPoint[]
  /** Entrypoint and command put together. */
  path: string
  args: string[]
  state: ContainerState
  restartCount: number
  /** Folders of its file system. */
  rootfs?: Rootfs
  /** A step of a build: it means nothing without the build, so it goes when the engine starts again. */
  isBuildStep?: boolean
  /** Of a swarm, which it runs. Its labels say so as well, but anybody can give a container labels. */
  taskId?: string
  /** Published ports of the running container: `80/tcp` → bindings. */
  ports: Record<string, { HostIp: string; HostPort: string }[] | null>
}

// What containers need of the other parts of the engine; the engine puts them together.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { Images } from '../../images/images.ts'
import type { Mounts } from '../../mounts/mounts.ts'
import type { Networking } from '../../network/networking.ts'
import type { OciProcess, OciResources, OciSpec, Rootfs, Runtime } from '../../runtime/runtime.ts'
import type { ContainerRecord } from './record.ts'
import type { ContainerConfig, HostConfig } from './schema.ts'

export interface SpecInput {
  record: ContainerRecord
  /** Where users and groups of the image are looked up, the upper folder first. */
  rootfs: Rootfs
  /** Files of the container's folder that are mounted over the image's own. */
  files: { hosts?: string; hostname?: string; resolvConf?: string }
  /** First processes of containers whose namespaces are joined. */
  joined: { network?: number; pid?: number; ipc?: number }
  /** The id of the container whose IPC namespace is joined, and with it its shared memory. */
  ipcOwner?: string
}

/** From a container to what the runtime is told. */
export interface ContainerSpecs {
  /** All that is wrong with a configuration, and what this machine cannot do and does without. Changes nothing. */
  check(config: ContainerConfig, hostConfig: HostConfig): Promise<{ problems: string[]; warnings: string[] }>
  build(input: SpecInput): Promise<OciSpec>
  /** Limits alone, for a running container. */
  resources(hostConfig: HostConfig): Promise<OciResources>
  /** A further process in a running container, as its own user with its own surroundings. */
  process(record: ContainerRecord, args: readonly string[]): Promise<OciProcess>
}

export interface EngineDefaults {
  /** ENG-143 */
  ipcMode: 'private' | 'shareable'
  cgroupnsMode: 'host' | 'private'
  runtime: string
  /** Names that HostConfig.Runtime may have. */
  runtimes: readonly string[]
  /** Of the host: containers in its network have it too. */
  hostname: string
}

/** Parts that take part in what happens to containers. */
export interface ContainerHooks {
  /** The process is made and waits: who attached before is connected now. */
  beforeStart(id: string, detachKeys?: readonly number[]): Promise<void>
  startFailed(id: string): void
  /** Its process has ended; its folder is about to go. */
  beforeRemoval?(id: string): Promise<void>
  /** Whether an enabled plugin of this name takes logs. */
  isLogPlugin(name: string): boolean
  /** Of processes that were added to it. */
  execIds(id: string): readonly string[]
}

export interface ContainerPorts {
  db: Database
  clock: Clock
  ids: Ids
  log: Log
  /** The engine's data folder. */
  folder: string
  runtime: Runtime
  images: Images
  networking: Networking
  mounts: Mounts
  specs: ContainerSpecs
  events: EngineEvents
  defaults: EngineDefaults
}

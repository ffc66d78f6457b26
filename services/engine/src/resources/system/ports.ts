// What the system resource needs of the others. The engine fills it in.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { HostFacts } from '../../runtime/oci/host.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GenericResource } from '../services/schema.ts'
import type { BuildCacheRecord, Info, SwarmCluster, SwarmState } from './schema.ts'

export interface ContainerCounts {
  containers: number
  running: number
  paused: number
  stopped: number
}

/** An object of another resource, in the form its own list has. */
type Listed = Record<string, unknown>

/** What takes up space. Each may take its time; callers that come meanwhile share the answer. */
export interface UsageSources {
  /** All containers as in their list, with SizeRw and SizeRootFs. */
  containers(): Promise<readonly (Listed & { Id: string; SizeRw?: number })[]>
  /** Bytes of a container's logs, rotated ones too. */
  logBytes(containerId: string): Promise<number>
  /** All images as in their list, with SharedSize and Containers; and the bytes of all layers together, each once. */
  images(): Promise<{ images: readonly Listed[]; layerBytes: number }>
  /** All volumes as in their list, with UsageData. */
  volumes(): Promise<readonly Listed[]>
  buildCache(): Promise<readonly BuildCacheRecord[]>
}

export interface SystemSettings {
  /** Where the engine keeps everything. */
  folder: string
  defaultRuntime: string
  drivers: { volume: readonly string[]; network: readonly string[]; log: readonly string[] }
  addressPools: readonly { Base: string; Size: number }[]
  registry: { mirrors: readonly string[]; insecure: readonly string[] }
  labels: readonly string[]
  /** What tasks of a swarm may reserve. */
  genericResources: readonly GenericResource[]
  isDebugging: boolean
  isRootless: boolean
  hasUserNamespaces: boolean
  noNewPrivileges: boolean
  /** Which builder clients should use: the classic one or BuildKit. */
  builder: '1' | '2'
  /** What else an operator should know. */
  warnings: readonly string[]
}

export interface SystemPorts {
  /** Of this engine, for ever. */
  id: string
  clock: Clock
  events: EngineEvents
  runtime: Pick<Runtime, 'versions'>
  host: HostFacts
  /** At the start: a reload may change them. */
  settings: SystemSettings
  containerCounts(): ContainerCounts
  imageCount(): number | Promise<number>
  swarmState(): SwarmState
  /** Of the swarm that this machine manages. */
  swarmCluster?(): SwarmCluster | undefined
  /** Of this machine in its swarm. */
  swarmNode?(): Partial<Info['Swarm']>
  usage: UsageSources
}

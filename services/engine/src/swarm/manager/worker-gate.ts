// Where nodes come to a manager: machines that join, and workers. These have their sessions with the manager that
// leads; others tell them where that is.
import type { X509Certificate } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { LogsQuery } from '../../resources/containers/logs/logs-query.ts'
import type { NodeName } from '../identity/node-certificate.ts'
import { clusterOf, type Membership } from '../membership.ts'
import type { Channel } from '../session/channel.ts'
import type { MeshSink, MeshWatching } from '../session/mesh.ts'
import type { Opening } from '../session/messages.ts'
import { Refused } from '../session/refused.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptCluster, KeptNode } from '../store/objects.ts'
import { Retries } from '../store/retries.ts'
import { writeReports } from '../volumes/volume-reports.ts'
import { secretsOf } from '../volumes/volume-secrets.ts'
import { watchVolumes } from '../volumes/volume-watch.ts'
import type { Dispatcher } from '../worker/dispatcher.ts'
import { Admission, removedWords } from './admission.ts'
import type { GuestAddresses } from './guest-addresses.ts'
import { isOtherAuthority, issuerOf } from './issuers.ts'
import { serveLogs } from './log-relay.ts'
import type { Members } from './members.ts'
import { NodeHealth } from './node-health.ts'
import { type Session, SwarmListener } from './swarm-listener.ts'
import { WorkerSession } from './worker-session.ts'

export interface WorkerGateParts {
  membership: Membership
  clock: Clock
  log: Log
  members: Members
  newId(): string
  dispatcherOf(nodeId: string): Dispatcher
  watchMesh(nodeId: string, sink: MeshSink): MeshWatching
  /** Of a task of this machine; throws where there is none. */
  readLogs(taskId: string, query: LogsQuery): Readable
}

const nanosPerMs = 1e6

export class WorkerGate {
  readonly #parts: WorkerGateParts
  readonly #listener: SwarmListener
  /** By node: the newest session of each. */
  readonly #channels = new Map<string, Channel>()
  readonly #sessions = new Map<string, WorkerSession>()
  readonly #stopListening: () => void
  /** Undefined: another manager leads. */
  #health: NodeHealth | undefined
  #guests: GuestAddresses | undefined
  readonly admission: Admission

  constructor(parts: WorkerGateParts) {
    const { membership, clock, log, newId, members } = parts
    const { store, identity } = membership
    this.#parts = parts
    this.admission = new Admission({ membership, clock, newId, members })
    this.#listener = new SwarmListener({
      ...{ address: identity.listenAddress, admission: this.admission, log, now: () => clock.now() },
      begin: (name, opening, channel, certificate) => this.#begin(name, opening, channel, certificate),
      relay: (name, channel) => this.#relay(name, channel),
    })
    this.#stopListening = store.listen(({ kind, id, before, after }) => {
      if (kind === 'node' && after === undefined) this.#sendAway(id)
      else if (kind === 'node') this.#tellRole(after as KeptNode)
      if (kind === 'cluster' && isOtherAuthority(before as KeptCluster, after as KeptCluster)) this.#tellAuthority()
    })
  }

  start(): Promise<void> {
    return this.#listener.start()
  }

  async stop(): Promise<void> {
    this.#stopListening()
    this.follow()
    await this.#listener.stop()
  }

  /** From now on workers have their sessions here. */
  lead(store: LedStore, guests: GuestAddresses): void {
    const { log } = this.#parts
    this.#guests = guests
    this.#health ??= new NodeHealth({ store, log, periodMs: () => this.#periodMs })
  }

  /** Another manager leads: workers go there. */
  follow(): void {
    this.#health?.stop()
    this.#health = undefined
    this.#guests = undefined
    for (const channel of this.#channels.values()) channel.destroy()
  }

  /** Of a task on another node; undefined where that is not here now. */
  openLogs(nodeId: string, taskId: string, query: LogsQuery): Readable | undefined {
    return this.#sessions.get(nodeId)?.logs.open(taskId, query)
  }

  get #periodMs(): number {
    return (clusterOf(this.#parts.membership).Spec.Dispatcher?.HeartbeatPeriod ?? 0) / nanosPerMs
  }

  #tellAuthority(): void {
    this.#listener.refresh()
    for (const session of this.#sessions.values()) session.tellAuthority()
  }

  #begin(
    { nodeId, clusterId }: NodeName,
    opening: Extract<Opening, { ask: 'session' }>,
    channel: Channel,
    certificate: X509Certificate | undefined,
  ): Session {
    const { membership, dispatcherOf, log } = this.#parts
    const [health, guests] = [this.#health, this.#guests]
    if (clusterId !== membership.identity.clusterId) throw new Refused('This is another swarm')
    if (health === undefined || guests === undefined)
      throw new Refused('Another manager leads the swarm', false, this.admission.leader)
    const node = membership.store.get('node', nodeId)
    if (node === undefined) throw new Refused(removedWords)
    this.#channels.get(nodeId)?.destroy()
    this.#channels.set(nodeId, channel)
    const writes = new Retries(log)
    const session = new WorkerSession({
      ...{ nodeId, channel, dispatcher: dispatcherOf(nodeId), admission: this.admission, health, guests, log },
      periodMs: () => this.#periodMs,
      watchMesh: (sink) => this.#parts.watchMesh(nodeId, sink),
      watchVolumes: (sink) =>
        watchVolumes({ store: membership.store, nodeId, secretsOf: secretsOf(membership), log }, sink),
      volumeReports: writeReports(membership.store, nodeId, writes),
    })
    this.#sessions.set(nodeId, session)
    this.#tellRole(node)
    const issuer = certificate && issuerOf(clusterOf(membership), certificate)
    health.ready(nodeId, opening, issuer)
    return {
      message: (message) => session.message(message),
      closed: () => {
        session.closed()
        void writes.stop()
        if (this.#sessions.get(nodeId) === session) this.#sessions.delete(nodeId)
        if (this.#channels.get(nodeId) === channel) this.#channels.delete(nodeId)
      },
    }
  }

  #relay({ nodeId, clusterId, role }: NodeName, channel: Channel): Session {
    const { membership, readLogs } = this.#parts
    const { store, identity } = membership
    const isManager = role === 'manager' && store.get('node', nodeId)?.Spec.Role === 'manager'
    if (!isManager || clusterId !== identity.clusterId) throw new Refused('Only managers read logs of all nodes')
    return serveLogs(channel, (taskId, query) => {
      const { NodeID = '' } = store.get('task', taskId) ?? {}
      if (NodeID === identity.nodeId) return readLogs(taskId, query)
      const stream = this.openLogs(NodeID, taskId, query)
      if (stream === undefined) throw new Error('its node is not here now')
      return stream
    })
  }

  /** Only workers have sessions. */
  #tellRole({ ID, Spec }: KeptNode): void {
    if (Spec.Role === 'manager') this.#channels.get(ID)?.send({ is: 'promoted' })
  }

  #sendAway(nodeId: string): void {
    const channel = this.#channels.get(nodeId)
    channel?.send({ refused: removedWords, isFinal: true })
    channel?.end()
  }
}

// The workers of a swarm at a manager: who comes, who is there, and who is sent away.
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
import type { KeptCluster } from '../store/objects.ts'
import type { Dispatcher } from '../worker/dispatcher.ts'
import { Admission } from './admission.ts'
import { NodeHealth } from './node-health.ts'
import { type Session, SwarmListener } from './swarm-listener.ts'
import { WorkerSession } from './worker-session.ts'

export interface WorkerGateParts {
  membership: Membership
  clock: Clock
  log: Log
  newId(): string
  dispatcherOf(nodeId: string): Dispatcher
  watchMesh(nodeId: string, sink: MeshSink): MeshWatching
}

const nanosPerMs = 1e6
const removedWords = 'This node was removed from the swarm: it has to leave it, and can join again then'

export class WorkerGate {
  readonly #parts: WorkerGateParts
  readonly #admission: Admission
  readonly #health: NodeHealth
  readonly #listener: SwarmListener
  /** By node: the newest session of each. */
  readonly #channels = new Map<string, Channel>()
  readonly #sessions = new Map<string, WorkerSession>()
  readonly #stopListening: () => void

  constructor(parts: WorkerGateParts) {
    const { membership, clock, log, newId } = parts
    const { store, identity } = membership
    this.#parts = parts
    this.#admission = new Admission({ membership, clock, newId })
    this.#health = new NodeHealth({ store, log, periodMs: () => this.#periodMs })
    this.#listener = new SwarmListener({
      ...{ address: identity.listenAddress, admission: this.#admission, log, now: () => clock.now() },
      begin: (name, opening, channel) => this.#begin(name, opening, channel),
    })
    this.#stopListening = store.listen(({ kind, id, before, after }) => {
      if (kind === 'node' && after === undefined) this.#sendAway(id)
      const trusted = (cluster: unknown) => (cluster as KeptCluster | undefined)?.TLSInfo.TrustRoot
      if (kind === 'cluster' && trusted(before) !== trusted(after)) void this.#listener.refresh()
    })
  }

  start(): Promise<void> {
    return this.#listener.start()
  }

  async stop(): Promise<void> {
    this.#stopListening()
    this.#health.stop()
    await this.#listener.stop()
  }

  /** Of a task on another node; undefined where that is not here now. */
  openLogs(nodeId: string, taskId: string, query: LogsQuery): Readable | undefined {
    return this.#sessions.get(nodeId)?.logs.open(taskId, query)
  }

  get #periodMs(): number {
    return (clusterOf(this.#parts.membership).Spec.Dispatcher?.HeartbeatPeriod ?? 0) / nanosPerMs
  }

  #begin({ nodeId, clusterId }: NodeName, opening: Extract<Opening, { ask: 'session' }>, channel: Channel): Session {
    const { membership, dispatcherOf, log } = this.#parts
    if (clusterId !== membership.identity.clusterId) throw new Refused('This is another swarm')
    const node = membership.store.get('node', nodeId)
    if (node === undefined) throw new Refused(removedWords)
    this.#channels.get(nodeId)?.destroy()
    this.#channels.set(nodeId, channel)
    const session = new WorkerSession({
      ...{ nodeId, channel, dispatcher: dispatcherOf(nodeId), admission: this.#admission, health: this.#health, log },
      periodMs: () => this.#periodMs,
      watchMesh: (sink) => this.#parts.watchMesh(nodeId, sink),
    })
    this.#sessions.set(nodeId, session)
    this.#health.ready(nodeId, opening).catch((error: Error) => {
      log.warn({ node: nodeId, error: error.message }, 'a node came and was not written down')
      channel.destroy()
    })
    return {
      message: (message) => session.message(message),
      closed: () => {
        session.closed()
        if (this.#sessions.get(nodeId) === session) this.#sessions.delete(nodeId)
        if (this.#channels.get(nodeId) === channel) this.#channels.delete(nodeId)
      },
    }
  }

  #sendAway(nodeId: string): void {
    const channel = this.#channels.get(nodeId)
    channel?.send({ refused: removedWords, isFinal: true })
    channel?.end()
  }
}

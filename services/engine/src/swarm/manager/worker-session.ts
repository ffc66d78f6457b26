// A worker that is connected: it is told of its tasks, and tells what became of them.
import type { Log } from '@atoll/kernel/telemetry/log'
import { digestOf } from '../identity/tokens.ts'
import type { Channel } from '../session/channel.ts'
import type { MeshSink, MeshWatching } from '../session/mesh.ts'
import { type FromManager, FromWorker } from '../session/messages.ts'
import { toWire } from '../session/wire-assignment.ts'
import type { VolumeSink } from '../volumes/node-volume.ts'
import type { VolumeReports } from '../volumes/node-volumes.ts'
import type { Dispatcher } from '../worker/dispatcher.ts'
import type { Admission } from './admission.ts'
import { describeRefusal, type GuestAddresses } from './guest-addresses.ts'
import type { NodeHealth } from './node-health.ts'
import { RemoteLogs } from './remote-logs.ts'
import { rank } from './task-states.ts'

export interface WorkerSessionParts {
  nodeId: string
  channel: Channel
  dispatcher: Dispatcher
  admission: Admission
  health: NodeHealth
  guests: GuestAddresses
  log: Log
  periodMs(): number
  /** Follows what the node has to know of others, from now on. */
  watchMesh(sink: MeshSink): MeshWatching
  /** Follows what volumes it is to have. Returns how to stop. */
  watchVolumes(sink: VolumeSink): () => void
  volumeReports: VolumeReports
}

export class WorkerSession {
  readonly #parts: WorkerSessionParts
  readonly #stopListening: () => void
  readonly #meshWatch: MeshWatching
  #stopVolumes: (() => void) | undefined
  /** What its tasks have said. */
  readonly logs = new RemoteLogs((message) => this.#send(message))
  /** What is wanted of each task, as the worker was told. */
  readonly #told = new Map<string, string>()

  constructor(parts: WorkerSessionParts) {
    this.#parts = parts
    const { dispatcher } = parts
    this.#beat()
    this.#stopListening = dispatcher.listen((id) => this.#tell(id))
    const assignments = dispatcher.assigned().flatMap((id) => dispatcher.assignment(id) ?? [])
    for (const { task } of assignments) this.#told.set(task.ID, task.DesiredState)
    this.#send({ is: 'all', assignments: assignments.map(toWire) })
    this.#meshWatch = parts.watchMesh({
      network: (mesh) => this.#send({ is: 'network', mesh }),
      networkGone: (id) => this.#send({ is: 'networkGone', id }),
      service: (mesh) => this.#send({ is: 'service', mesh }),
      serviceGone: (id) => this.#send({ is: 'serviceGone', id }),
      peers: (addresses) => this.#send({ is: 'peers', addresses }),
    })
    this.#send({ is: 'networks', ids: this.#meshWatch.networks })
    this.tellAuthority()
  }

  closed(): void {
    this.#stopListening()
    this.#meshWatch.stop()
    this.#stopVolumes?.()
    this.logs.closed()
  }

  message(message: unknown): void {
    const { admission, health, guests, nodeId, channel } = this.#parts
    const read = FromWorker.parse(message)
    if (read.is === 'beat') {
      health.beat(nodeId)
      this.#beat()
    } else if (read.is === 'renew') {
      this.#send({ is: 'renewed', certificate: admission.certify(nodeId, 'worker', read.key) })
    } else if (read.is === 'trusts') {
      this.#trusts(read.digest)
    } else if (read.is === 'logs') {
      this.logs.take(read)
    } else if (read.is === 'csi') {
      this.#parts.volumeReports.csi(read.nodes)
      this.#stopVolumes ??= this.#watchVolumes()
    } else if (read.is === 'unpublished') {
      this.#parts.volumeReports.unpublished(read.id)
    } else if (read.is === 'report') {
      this.#report(read.taskId, read.report)
    } else if (read.is !== 'leave') {
      this.#guest(read)
    } else {
      void Promise.all([health.down(nodeId, 'node left the swarm'), guests.keepOnly(nodeId, [])]).then(() =>
        channel.end(),
      )
    }
  }

  #watchVolumes(): () => void {
    return this.#parts.watchVolumes({
      volumes: (all) => this.#send({ is: 'volumes', all }),
      volume: (volume) => this.#send({ is: 'volume', volume }),
      volumeGone: (id) => this.#send({ is: 'volumeGone', id }),
    })
  }

  /** Whom to trust, and whose certificate to have. */
  tellAuthority(): void {
    const { authority, issuer } = this.#parts.admission
    this.#send({ is: 'authority', authority, issuer })
  }

  /** A node says it once, while stores are started again for the new authority. */
  #trusts(digest: string): void {
    const { admission, health, nodeId } = this.#parts
    const { authority } = admission
    const isStill = () => digestOf(admission.authority) === digest
    if (isStill()) health.trusts(nodeId, authority, isStill)
  }

  #report(taskId: string, report: Extract<FromWorker, { is: 'report' }>['report']): void {
    const { dispatcher, nodeId, log } = this.#parts
    dispatcher.report(taskId, report).then(
      () => this.#send({ is: 'reported', taskId, state: report.State }),
      // The worker says it again when it has heard nothing.
      (error: Error) => log.warn({ node: nodeId, task: taskId, error: error.message }, 'a report was not written down'),
    )
  }

  #guest(read: Extract<FromWorker, { is: 'attach' | 'detach' | 'attachments' }>): void {
    const { guests, nodeId } = this.#parts
    if (read.is === 'attach') {
      const { id, container } = read
      guests.attach(nodeId, read).then(
        (given) => this.#send({ is: 'attached', id, container, ...given }),
        (error: unknown) => this.#send({ is: 'notAttached', id, ...describeRefusal(error) }),
      )
      return
    }
    if (read.is === 'detach') guests.detach(nodeId, read.container, read.network)
    else void guests.keepOnly(nodeId, read.all)
  }

  /** What the worker itself reported is no news to it. */
  #tell(id: string): void {
    const assignment = this.#parts.dispatcher.assignment(id)
    if (assignment === undefined) {
      if (this.#told.delete(id)) this.#send({ is: 'gone', taskId: id })
      return
    }
    const { DesiredState, Status } = assignment.task
    // Decided here rather than there.
    const isEnded = rank(Status.State) >= rank('remove')
    if (this.#told.get(id) === DesiredState && !isEnded) return
    this.#told.set(id, DesiredState)
    this.#send({ is: 'task', assignment: toWire(assignment) })
  }

  #beat(): void {
    const { periodMs, admission } = this.#parts
    this.#send({
      is: 'beat',
      periodMs: periodMs(),
      managers: admission.managers,
      takesGuests: true,
      takesVolumes: true,
    })
  }

  #send(message: FromManager): void {
    this.#parts.channel.send(message)
  }
}

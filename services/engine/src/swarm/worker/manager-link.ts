// A worker's session with a manager: begun again whenever it ends, with heartbeats in both directions.
import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { z } from 'zod'
import { hostOf } from '../addresses.ts'
import { newNodeKey, renewalTime } from '../identity/node-certificate.ts'
import type { WorkerIdentity } from '../identity/node-identity.ts'
import { digestOf } from '../identity/tokens.ts'
import { hasSigned } from '../manager/issuers.ts'
import { type Channel, openChannel } from '../session/channel.ts'
import { connect } from '../session/connect.ts'
import type { MeshSink } from '../session/mesh.ts'
import { type FromManager, type FromWorker, maxManagerBytes, type Opening, Refusal } from '../session/messages.ts'
import { Retries } from '../store/retries.ts'
import type { VolumeSink } from '../volumes/node-volume.ts'
import type { NodeVolumes } from '../volumes/node-volumes.ts'
import { LogSender, type LogSenderParts } from './log-sender.ts'
import type { Mesh } from './mesh.ts'
import type { RemoteDispatcher } from './remote-dispatcher.ts'
import type { WorkerGuests } from './worker-guests.ts'

export interface ManagerLinkParts {
  identity: WorkerIdentity
  dispatcher: RemoteDispatcher
  mesh: MeshSink & Pick<Mesh, 'keepOnly'>
  guests: Pick<WorkerGuests, 'connected' | 'answered'>
  volumes: VolumeSink & Pick<NodeVolumes, 'connected'>
  clock: Clock
  log: Log
  describe(): Extract<Opening, { ask: 'session' }>['description']
  /** Of this machine, for networks that are encrypted. */
  tunnelKey(): Promise<string | undefined>
  /** What a task of this node has said. */
  readLogs: LogSenderParts['read']
  /** What this machine remembers of its swarm is another. */
  save(identity: WorkerIdentity): Promise<void>
  /** Every task of this node is known. */
  opened(): void
  /** This node is to be a manager. */
  promoted(): void
  /** This node is no longer one of the swarm. */
  refused(reason: string): void
}

type MeshMessage = Extract<
  FromManager,
  { is: 'network' | 'networkGone' | 'networks' | 'service' | 'serviceGone' | 'peers' }
>

const [shortestPauseMs, longestPauseMs] = [100, 2_000]
const firstPeriodMs = 5_000
const patience = 3
const leaveMs = 2_000

export class ManagerLink {
  readonly #parts: ManagerLinkParts
  #identity: WorkerIdentity
  readonly #logs: LogSender
  #channel: Channel | undefined
  #periodMs = firstPeriodMs
  #pauseMs = shortestPauseMs
  #turn = 0
  /** Of the manager that is spoken to. */
  #address = ''
  #beating: NodeJS.Timeout | undefined
  #silence: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #renewAt: number
  /** Of the certificate that is asked for. */
  #nextKey: string | undefined
  /** Managers wait for it: it is of another authority. */
  #isToShow = false
  readonly #writes: Retries
  /** The manager that fell silent: tried after the others, as it may take long to find that it is gone. */
  #silent: string | undefined
  /** Where the next session is to be, as a manager told. */
  #leader: string | undefined
  /** The manager that is spoken to gives addresses to containers. */
  #takesGuests = false
  /** It knows of volumes of the cluster. */
  #takesVolumes = false
  #isStopped = false
  #ended: () => void = () => {}

  constructor(parts: ManagerLinkParts) {
    this.#parts = parts
    this.#identity = parts.identity
    this.#writes = new Retries(parts.log)
    this.#logs = new LogSender({ read: parts.readLogs, send: (message) => this.#send(message) })
    this.#renewAt = renewalTime(parts.identity.credentials.certificate, Math.random())
    this.#begin()
  }

  /** As it is now. */
  get identity(): WorkerIdentity {
    return this.#identity
  }

  /** Resolves when nothing more is written of it. */
  stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#retry)
    this.#channel?.destroy()
    return this.#writes.stop()
  }

  /** Tells it where somebody can be told. */
  async leave(): Promise<void> {
    const channel = this.#channel
    if (channel !== undefined) {
      this.#isStopped = true
      const ended = new Promise<void>((resolve) => {
        this.#ended = resolve
        setTimeout(resolve, leaveMs).unref()
      })
      this.#send({ is: 'leave' })
      await ended
    }
    await this.stop()
  }

  #begin(): void {
    const { credentials } = this.#identity
    const managers = this.#identity.managers.toSorted(
      (one, other) => Number(one === this.#silent) - Number(other === this.#silent),
    )
    const address = this.#leader ?? managers[this.#turn++ % Math.max(managers.length, 1)] ?? ''
    this.#leader = undefined
    this.#address = address
    Promise.all([connect(address, credentials), this.#parts.tunnelKey()]).then(
      ([socket, tunnelKey]) => this.#open(socket, tunnelKey),
      (error: Error) => {
        this.#parts.log.debug({ manager: address, error: error.message }, 'a manager cannot be reached')
        this.#again()
      },
    )
  }

  #again(): void {
    if (this.#isStopped) return
    this.#retry = setTimeout(() => this.#begin(), this.#pauseMs * (0.5 + Math.random() / 2)).unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
  }

  #open(socket: TLSSocket, tunnelKey: string | undefined): void {
    if (this.#isStopped) {
      socket.destroy()
      return
    }
    socket.setNoDelay(true)
    const { describe, identity, dispatcher, guests, volumes } = this.#parts
    const [address, dataPath] = [hostOf(identity.advertiseAddress), identity.dataPathAddress]
    const channel = openChannel(socket, () => maxManagerBytes, {
      message: (message) => this.#take(message),
      closed: () => {
        this.#channel = undefined
        dispatcher.connected(undefined)
        guests.connected(undefined)
        volumes.connected(undefined)
        this.#logs.stopAll()
        clearInterval(this.#beating)
        this.#beating = undefined
        clearTimeout(this.#silence)
        // Asked for again in the next session.
        this.#nextKey = undefined
        this.#ended()
        this.#again()
      },
    })
    this.#channel = channel
    this.#listenFor(firstPeriodMs)
    channel.send({ ask: 'session', description: describe(), address, dataPath, tunnelKey })
  }

  #take(message: unknown): void {
    const { dispatcher } = this.#parts
    const refusal = Refusal.safeParse(message)
    if (refusal.success) {
      this.#refuse(refusal.data)
      return
    }
    const read = message as FromManager
    this.#listenFor(this.#periodMs)
    if (read.is === 'beat') this.#beat(read)
    else if (read.is === 'all') this.#takeAll(read.assignments)
    else if (read.is === 'task') dispatcher.take(read.assignment)
    else if (read.is === 'gone') dispatcher.takeAway(read.taskId)
    else if (read.is === 'reported') dispatcher.heard(read.taskId, read.state)
    else if (read.is === 'renewed') this.#renewed(read.certificate)
    else if (read.is === 'authority') this.#trust(read)
    else if (read.is === 'promoted') this.#parts.promoted()
    else if (read.is === 'attached' || read.is === 'notAttached') this.#parts.guests.answered(read)
    else if (read.is === 'logs') this.#logs.begin(read.id, read.taskId, read.query)
    else if (read.is === 'logsMore') this.#logs.more(read.id)
    else if (read.is === 'logsStop') this.#logs.stop(read.id)
    else if (read.is === 'volumes') this.#parts.volumes.volumes(read.all)
    else if (read.is === 'volume') this.#parts.volumes.volume(read.volume)
    else if (read.is === 'volumeGone') this.#parts.volumes.volumeGone(read.id)
    else this.#takeMesh(read)
  }

  #takeMesh(message: MeshMessage): void {
    const { mesh } = this.#parts
    if (message.is === 'network') mesh.network(message.mesh)
    else if (message.is === 'networkGone') mesh.networkGone(message.id)
    else if (message.is === 'service') mesh.service(message.mesh)
    else if (message.is === 'serviceGone') mesh.serviceGone(message.id)
    else if (message.is === 'networks') mesh.keepOnly(message.ids)
    else mesh.peers(message.addresses)
  }

  #takeAll(assignments: Extract<FromManager, { is: 'all' }>['assignments']): void {
    const { dispatcher, guests, volumes, opened } = this.#parts
    this.#pauseMs = shortestPauseMs
    dispatcher.connected((taskId, report) => this.#send({ is: 'report', taskId, report }))
    dispatcher.takeAll(assignments)
    if (this.#takesGuests) guests.connected((message) => this.#send(message))
    if (this.#takesVolumes) {
      volumes.connected({
        csi: (nodes) => this.#send({ is: 'csi', nodes }),
        unpublished: (id) => this.#send({ is: 'unpublished', id }),
      })
    }
    opened()
  }

  #refuse({ refused, isFinal, leader }: z.output<typeof Refusal>): void {
    if (leader === undefined) this.#parts.log.warn({ reason: refused }, 'a manager refuses this node')
    this.#leader = leader
    if (!isFinal) return
    void this.stop()
    this.#parts.refused(refused)
  }

  #beat({ periodMs, managers, takesGuests = false, takesVolumes = false }: Extract<FromManager, { is: 'beat' }>): void {
    this.#takesGuests = takesGuests
    this.#takesVolumes = takesVolumes
    if (this.#beating === undefined || periodMs !== this.#periodMs) {
      clearInterval(this.#beating)
      this.#periodMs = periodMs
      this.#beating = setInterval(() => this.#sendBeat(), periodMs).unref()
    }
    // What it tells of itself may not be how it is reached from here.
    const known = [...new Set([...managers, this.#address])]
    if (JSON.stringify(known) !== JSON.stringify(this.#identity.managers)) {
      void this.#save({ ...this.#identity, managers: known })
    }
    this.#listenFor(periodMs)
  }

  #sendBeat(): void {
    this.#send({ is: 'beat' })
    this.#parts.dispatcher.repeat()
    if (this.#parts.clock.now() >= this.#renewAt && this.#nextKey === undefined) void this.#renew()
  }

  async #renew(): Promise<void> {
    const channel = this.#channel
    this.#nextKey = ''
    const { key, publicKey, proof } = await newNodeKey()
    if (this.#channel !== channel) return
    this.#nextKey = key
    this.#send({ is: 'renew', key: { publicKey, proof } })
  }

  #renewed(certificate: string): void {
    const key = this.#nextKey
    if (!key) return
    this.#nextKey = undefined
    this.#renewAt = renewalTime(certificate, Math.random())
    const saved = this.#save({ ...this.#identity, credentials: { ...this.#identity.credentials, certificate, key } })
    if (!this.#isToShow) return
    // The next session shows it.
    this.#isToShow = false
    void saved.then(() => this.#channel?.destroy())
  }

  #trust({ authority, issuer }: Extract<FromManager, { is: 'authority' }>): void {
    const { credentials } = this.#identity
    const saved =
      credentials.authority === authority
        ? this.#writes.settled().then(() => true)
        : this.#save({ ...this.#identity, credentials: { ...credentials, authority } })
    // Managers count on it: a machine that is started again must not know the one of before alone.
    void saved.then((isSaved) => {
      if (isSaved) this.#send({ is: 'trusts', digest: digestOf(authority) })
    })
    if (hasSigned(issuer, new X509Certificate(credentials.certificate))) return
    this.#isToShow = true
    if (this.#nextKey === undefined) void this.#renew()
  }

  /** False: it is not on this machine's disk. */
  #save(identity: WorkerIdentity): Promise<boolean> {
    this.#identity = identity
    return this.#writes.run('the identity of this node', () => this.#parts.save(this.#identity))
  }

  /** A manager that says nothing for so long is not there. */
  #listenFor(periodMs: number): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      this.#silent = this.#address
      this.#turn = 0
      this.#channel?.destroy()
    }, periodMs * patience).unref()
  }

  #send(message: FromWorker): void {
    this.#channel?.send(message)
  }
}

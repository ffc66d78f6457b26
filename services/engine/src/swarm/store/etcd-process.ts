// The etcd member of this machine, run by the engine. It ends with the engine, however that ends, and everything it
// acknowledged is on disk: the next start finds it again. The engine reaches it by a socket in a folder that only root
// can enter; members reach one another by TLS, with the certificates that managers have from the swarm's authority.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findProgram } from '@atoll/kernel/programs/find-program'
import type { Log } from '@atoll/kernel/telemetry/log'
import { notImplemented, unavailable } from '../../errors.ts'
import { MemoryFolder } from '../../mounts/memory-folder.ts'
import { type Credentials, managerName } from '../identity/node-certificate.ts'
import { removeFolder } from '../remove-folder.ts'
import { EtcdClient } from './etcd-client.ts'
import { socketPlace } from './etcd-connection.ts'
import { whyNotStarted } from './etcd-words.ts'
import { type RaftValues, raftArgs } from './raft-values.ts'

/** etcd wants a host and a port; both together are the name of the file. */
const clientSocket = 'client:1'
const peerSocket = 'peer:1'
const sockets = [clientSocket, peerSocket]
const clientUrl = `unix://${clientSocket}`
const unixPeerUrl = `unix://${peerSocket}`
const startMs = 15_000
/** A new member has to get everything that the others have first. */
const joinMs = 60_000
const betweenLooksMs = 20
const stopMs = 10_000
const restartPauseMs = 500
const maxWords = 4_000
const maxRequestBytes = 4 * 1024 * 1024
const maxTransactionSteps = 2_048
const keptRevisions = 1_000

/** How others reach this member, and what it shows them. */
export interface MemberPlace {
  name: string
  /** `https://0.0.0.0:2378` */
  listenUrl: string
  peerUrl: string
  credentials: Credentials
}

export interface StartOptions {
  /** Undefined: nobody can reach it. So it was when swarms had one manager. */
  place?: MemberPlace | undefined
  /** As the swarm wants it; undefined: as etcd has it. */
  raft?: RaftValues | undefined
  /** Members that are lost are given up, and this one goes on alone. */
  isForced?: boolean
  /** All that it joins, with itself. */
  members?: readonly { name: string; peerUrl: string }[]
}

export class EtcdProcess {
  readonly #folder: string
  readonly #log: Log
  readonly #secrets: MemoryFolder
  #options: StartOptions = {}
  /** That its members trust. */
  #authority = ''
  #child: ChildProcess | undefined
  #isStopping = false
  /** The others decided that it is no member any more. */
  isRemoved = false
  #words = ''

  /** It is no longer a member, as the others decided. */
  removed: () => void = () => {}

  constructor(folder: string, log: Log) {
    this.#folder = folder
    this.#log = log
    this.#secrets = new MemoryFolder(join(folder, 'tls'))
  }

  /** Resolves when it answers. */
  async start(options: StartOptions): Promise<EtcdClient> {
    await mkdir(join(this.#folder, 'data'), { recursive: true, mode: 0o700 })
    if (options.place !== undefined) {
      await this.#secrets.open()
      this.#authority = options.place.credentials.authority
      await this.show(options.place.credentials)
    }
    this.#isStopping = false
    this.isRemoved = false
    this.#options = options
    this.#launch(options)
    const client = new EtcdClient(socketPlace(() => this.#socketPath()))
    const deadline = Date.now() + (options.members === undefined ? startMs : joinMs)
    while (!(await client.isReady())) {
      // One that ended is begun again: the one before it may not be quite gone.
      if (Date.now() > deadline || this.isRemoved) {
        await this.stop()
        throw unavailable(`etcd did not start: ${await whyNotStarted(this.#folder, this.#words)}`)
      }
      await pause(betweenLooksMs)
    }
    return client
  }

  /**
   * From now on it shows these to others. etcd reads them for each connection, but its authority when it starts: with
   * another one it is started again first.
   */
  async show({ certificate, key, authority }: Credentials): Promise<void> {
    const files = { 'authority.pem': authority, 'key.pem': key, 'certificate.pem': certificate }
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.#secrets.path, name)
      await writeFile(`${path}.new`, text, { mode: 0o600 })
      await rename(`${path}.new`, path)
    }
    const wasTrusted = this.#authority
    this.#authority = authority
    const child = this.#child
    if (wasTrusted === authority || child === undefined || this.#isStopping) return
    this.#log.warn({}, 'etcd starts again: the swarm has another authority')
    await end(child)
    // What ended by itself is begun again by itself; this one has nothing to wait for.
    if (this.#child === undefined && !this.#isStopping) this.#launch({ ...this.#options, isForced: false })
    await this.#isBack()
  }

  /** It was started again and answers, or has had time enough for it. */
  async #isBack(): Promise<void> {
    const client = new EtcdClient(socketPlace(() => this.#socketPath()))
    const deadline = Date.now() + startMs
    while (!this.#isStopping && Date.now() < deadline && !(await client.isReady())) await pause(betweenLooksMs)
    client.close()
  }

  /** Nothing of it stays on this machine. */
  async forget(): Promise<void> {
    await this.stop()
    await this.#secrets.close()
    await removeFolder(this.#folder)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await end(child)
  }

  /** By way of its process: the path of the folder may be longer than a socket's path can be. */
  #socketPath(): string {
    return `/proc/${this.#child?.pid ?? 0}/cwd/${clientSocket}`
  }

  #launch(options: StartOptions): void {
    const [etcd, setpriv] = [findProgram('etcd'), findProgram('setpriv')]
    if (etcd === undefined) throw noEtcd()
    const args = [...commonArgs, ...memberArgs(options), ...(options.isForced === true ? ['--force-new-cluster'] : [])]
    // Sent by the kernel when the engine is gone, also when it was killed.
    const [file, all] = setpriv === undefined ? [etcd, args] : [setpriv, ['--pdeathsig', 'TERM', etcd, ...args]]
    // A killed one leaves its sockets behind, and the next would find them taken.
    for (const socket of sockets) rmSync(join(this.#folder, socket), { force: true })
    const child = spawn(file, all, {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH ?? '', ...(process.arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {}) },
    })
    this.#child = child
    this.#words = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#words = `${this.#words}${text}`.slice(-maxWords)
    })
    child.once('error', (error) => {
      this.#words += error.message
      this.#ended(child)
    })
    child.once('exit', (code) => this.#ended(child, code))
  }

  #ended(child: ChildProcess, code: number | null = null): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#isStopping) return
    // Nobody asked it to, and nothing went wrong.
    if (code === 0 || /permanently removed/.test(this.#words)) {
      this.#isStopping = true
      this.isRemoved = true
      this.removed()
      return
    }
    this.#log.warn({ words: this.#words.slice(-500) }, 'etcd ended: it is started again')
    setTimeout(() => {
      if (!this.#isStopping && this.#child === undefined) this.#launch({ ...this.#options, isForced: false })
    }, restartPauseMs).unref()
  }
}

/** One whose disk hangs does not end when it is asked to. */
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(() => true)
  child.kill('SIGTERM')
  if (!(await Promise.race([ended, pause(stopMs, false, { ref: false })]))) child.kill('SIGKILL')
  await ended
}

/** A member that knows its swarm already reads nothing but its name and where it listens. */
function memberArgs({ place, members, raft }: StartOptions): string[] {
  const own = { name: place?.name ?? 'default', peerUrl: place?.peerUrl ?? unixPeerUrl }
  const all = members ?? [own]
  return [
    ...['--name', own.name, '--initial-advertise-peer-urls', own.peerUrl],
    ...['--listen-peer-urls', place?.listenUrl ?? unixPeerUrl],
    ...['--initial-cluster', all.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',')],
    ...['--initial-cluster-state', members === undefined ? 'new' : 'existing'],
    ...(place === undefined ? [] : tlsArgs),
    ...(raft === undefined ? [] : raftArgs(raft)),
  ]
}

const tlsArgs = [
  ...['--peer-cert-file', 'tls/certificate.pem', '--peer-key-file', 'tls/key.pem'],
  ...['--peer-trusted-ca-file', 'tls/authority.pem', '--peer-client-cert-auth'],
  // Workers have certificates of the same authority. Where a manager calls from may be another address of its.
  ...['--peer-cert-allowed-hostname', managerName, '--experimental-peer-skip-client-san-verification'],
]

const commonArgs = [
  ...['--data-dir', 'data', '--pre-vote'],
  ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
  ...['--auto-compaction-mode', 'revision', '--auto-compaction-retention', String(keptRevisions)],
  ...['--max-request-bytes', String(maxRequestBytes), '--max-txn-ops', String(maxTransactionSteps)],
  ...['--logger', 'zap', '--log-level', 'warn', '--log-outputs', 'stderr'],
]

export const noEtcd = () =>
  notImplemented('A swarm is kept in etcd, which this machine lacks: apt-get install etcd-server, then try again')

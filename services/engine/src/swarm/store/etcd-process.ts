// The etcd member of this machine, run by the engine. It ends with the engine, however that ends, and everything it
// acknowledged is on disk: the next start finds it again. Its sockets lie in a folder that only root can enter.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findProgram } from '@atoll/kernel/programs/find-program'
import type { Log } from '@atoll/kernel/telemetry/log'
import { notImplemented, unavailable } from '../../errors.ts'
import { EtcdClient } from './etcd-client.ts'

/** etcd wants a host and a port; both together are the name of the file. */
const clientSocket = 'client:1'
const peerSocket = 'peer:1'
const sockets = [clientSocket, peerSocket]
const clientUrl = `unix://${clientSocket}`
const peerUrl = `unix://${peerSocket}`
const startMs = 15_000
const betweenLooksMs = 20
const stopMs = 10_000
const restartPauseMs = 500
const maxWords = 4_000
const maxRequestBytes = 4 * 1024 * 1024
const maxTransactionSteps = 512
const keptRevisions = 1_000

export class EtcdProcess {
  readonly #folder: string
  readonly #log: Log
  #child: ChildProcess | undefined
  #isStopping = false
  #words = ''

  constructor(folder: string, log: Log) {
    this.#folder = folder
    this.#log = log
  }

  /** Resolves when it answers. `isForced`: members that are lost are given up, and this one goes on alone. */
  async start({ isForced = false } = {}): Promise<EtcdClient> {
    await mkdir(join(this.#folder, 'data'), { recursive: true, mode: 0o700 })
    this.#isStopping = false
    this.#launch(isForced)
    const client = new EtcdClient(() => this.#socketPath())
    const deadline = Date.now() + startMs
    while (!(await client.isReady())) {
      // One that ended is begun again: the one before it may not be quite gone.
      if (Date.now() > deadline) {
        await this.stop()
        throw unavailable(`etcd did not start: ${this.#words.trim() || 'it did not answer in time'}`)
      }
      await pause(betweenLooksMs)
    }
    return client
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const ended = once(child, 'exit').then(() => true)
    if (!(await Promise.race([ended, pause(stopMs, false)]))) child.kill('SIGKILL')
    await ended
  }

  /** By way of its process: the path of the folder may be longer than a socket's path can be. */
  #socketPath(): string {
    return `/proc/${this.#child?.pid ?? 0}/cwd/${clientSocket}`
  }

  #launch(isForced: boolean): void {
    const [etcd, setpriv] = [findProgram('etcd'), findProgram('setpriv')]
    if (etcd === undefined) throw noEtcd()
    const args = [...memberArgs, ...(isForced ? ['--force-new-cluster'] : [])]
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
    child.once('exit', () => this.#ended(child))
  }

  #ended(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#isStopping) return
    this.#log.error({ words: this.#words.slice(-500) }, 'etcd ended by itself: it is started again')
    setTimeout(() => {
      if (!this.#isStopping && this.#child === undefined) this.#launch(false)
    }, restartPauseMs).unref()
  }
}

const memberArgs = [
  ...['--name', 'default', '--data-dir', 'data'],
  ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
  ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
  ...['--initial-cluster', `default=${peerUrl}`, '--initial-cluster-state', 'new'],
  ...['--auto-compaction-mode', 'revision', '--auto-compaction-retention', String(keptRevisions)],
  ...['--max-request-bytes', String(maxRequestBytes), '--max-txn-ops', String(maxTransactionSteps)],
  ...['--logger', 'zap', '--log-level', 'error', '--log-outputs', 'stderr'],
]

export const noEtcd = () =>
  notImplemented('A swarm is kept in etcd, which this machine lacks: apt-get install etcd-server, then try again')

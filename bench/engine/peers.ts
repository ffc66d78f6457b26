// The engines that are compared: ours, Debian's dockerd and podman, each with a folder of its own on one isolated machine.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import type { IsolatedHost, IsolatedProcess } from '@atoll/engine/testing/isolated'

const run = promisify(execFile)
const launcher = fileURLToPath(new URL('../../atoll', import.meta.url))
const startTimeoutMs = 60_000
const pollMs = 5
const cliTimeoutMs = 60_000

interface PeerProgram {
  name: string
  command: string
  args: readonly string[]
  env?: Record<string, string>
  socketPath: string
  /** On the isolated machine, where the load generator runs too. */
  tcpPort: number | undefined
  /** Command lines of the processes that stay for each running container. */
  keeper: RegExp
}

export class Peer {
  readonly name: string
  readonly tcpPort: number | undefined
  readonly client: EngineClient
  readonly #program: PeerProgram
  readonly #host: IsolatedHost
  readonly #folder: string
  #running: IsolatedProcess | undefined

  constructor(host: IsolatedHost, folder: string, program: PeerProgram) {
    this.name = program.name
    this.tcpPort = program.tcpPort
    this.client = new EngineClient(program.socketPath, { keepAlive: true })
    this.#program = program
    this.#host = host
    this.#folder = folder
  }

  /** Resolves with the milliseconds until it answered. */
  async start(): Promise<number> {
    const { command, args, env = {} } = this.#program
    await run('sh', ['-c', 'command -v "$0"', command]).catch(() => {
      throw new Error(`${command} is not installed`)
    })
    const began = performance.now()
    const running = await this.#host.spawn(command, args, { env })
    this.#running = running
    let said = ''
    for (const stream of [running.child.stdout, running.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)))
    }
    let code: number | undefined
    void running.ended.then((ended) => (code = ended))
    while (!(await this.#answers())) {
      if (code !== undefined) throw new Error(`${this.name} ended with ${code}: ${said}`)
      if (performance.now() - began > startTimeoutMs) throw new Error(`${this.name} does not answer: ${said}`)
      await setTimeout(pollMs)
    }
    return performance.now() - began
  }

  /** As a crash does it, with everything that it started for itself. */
  async kill(): Promise<void> {
    for (const pid of this.#ownProcesses) kill(pid)
    await this.#running?.ended
    this.#running = undefined
  }

  async stop(): Promise<void> {
    this.#running?.kill('SIGTERM')
    await this.#running?.ended
    this.#running = undefined
  }

  async #answers(): Promise<boolean> {
    const answer = await this.client.call('GET', '/_ping').catch(() => undefined)
    return answer?.status === 200
  }

  /** Settings under which docker talks to it. */
  get cliEnv(): Record<string, string> {
    return { DOCKER_HOST: `unix://${this.#program.socketPath}`, DOCKER_CONFIG: this.#folder }
  }

  async cli(...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.cliEnv }
    return (await run('docker', args, { env, timeout: cliTimeoutMs })).stdout
  }

  /** Resident memory of the engine's own processes. */
  get daemonMegabytes(): number {
    return megabytesOf(this.#ownProcesses)
  }

  /** What the engine's own processes have used of the processor, in user and in kernel mode. */
  get cpuSeconds(): number {
    return this.#ownProcesses.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
  }

  get #ownProcesses(): number[] {
    const { pid } = this.#running ?? {}
    if (pid === undefined) throw new Error(`${this.name} does not run`)
    return treeOf(pid).filter((each) => !this.#program.keeper.test(commandOf(each)))
  }

  /** Of those processes that stay for its running containers. */
  get keeperMegabytes(): number {
    const pids = allPids().filter((pid) => {
      const command = commandOf(pid)
      return this.#program.keeper.test(command) && command.includes(this.#folder)
    })
    return megabytesOf(pids)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

const allPids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it has just ended
  }
}

const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

function treeOf(pid: number): number[] {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []
  const children = threads.flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  return [pid, ...children.flatMap(treeOf)]
}

/** Linux counts them in hundredths for programs, on every machine. */
const ticksPerSecond = 100

function cpuSecondsOf(pid: number): number {
  const [, afterName = ''] = textOf(`/proc/${pid}/stat`).split(/\) (?!.*\) )/)
  const [user = 0, system = 0] = afterName.split(' ').slice(11, 13).map(Number)
  return (user + system) / ticksPerSecond
}

const megabytesOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+) kB/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1000, 0)

export function atoll(host: IsolatedHost, parent: string): Peer {
  const folder = join(parent, 'atoll')
  const tcpPort = 23_751
  const config = join(parent, 'atoll.yaml')
  writeFileSync(config, `engine:\n  tcp: 127.0.0.1:${tcpPort}\n`)
  return new Peer(host, folder, {
    name: 'Atoll',
    command: launcher,
    args: ['up', '--only', 'engine', '--data', folder],
    env: { ATOLL_CONFIG: config, ATOLL_LOG_LEVEL: 'warn' },
    socketPath: join(folder, 'engine.sock'),
    tcpPort,
    keeper: /\/shim\S* (run|exec) /,
  })
}

export function dockerd(host: IsolatedHost, parent: string): Peer {
  const folder = join(parent, 'dockerd')
  mkdirSync(folder, { recursive: true })
  const socketPath = join(folder, 'docker.sock')
  const tcpPort = 23_750
  const places = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '-p', join(folder, 'pid')]
  const listen = ['-H', `unix://${socketPath}`, '-H', `tcp://127.0.0.1:${tcpPort}`]
  return new Peer(host, folder, {
    name: 'dockerd',
    command: 'dockerd',
    args: [...places, ...listen, '--storage-driver', 'overlay2', '--bip', '10.210.0.1/24', '--log-level', 'error'],
    socketPath,
    tcpPort,
    keeper: /containerd-shim/,
  })
}

export function podman(host: IsolatedHost, parent: string): Peer {
  const folder = join(parent, 'podman')
  mkdirSync(folder, { recursive: true })
  const socketPath = join(folder, 'podman.sock')
  const places = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')]
  return new Peer(host, folder, {
    name: 'podman',
    command: 'podman',
    args: [...places, 'system', 'service', '--time', '0', `unix://${socketPath}`],
    socketPath,
    tcpPort: undefined,
    keeper: /conmon/,
  })
}

// An engine that has nothing but streams, on a unix socket, for the tests of them. Its containers are real.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import type { Listener } from '@atoll/kernel/http/listen'
import { noSuchContainer } from '../../errors.ts'
import { type EngineEvent, EngineEvents } from '../../events/engine-events.ts'
import type { NetworkStats } from '../../network/networking.ts'
import { logSettings } from '../../resources/containers/log-config.ts'
import type { ContainerRecord, ContainerStatus } from '../../resources/containers/record.ts'
import type { ContainerConfig, HostConfig } from '../../resources/containers/schema.ts'
import { minimalProcess } from '../../runtime/testing/minimal-spec.ts'
import { RuntimeKit } from '../../runtime/testing/runtime-kit.ts'
import { serveRoutes } from '../../testing/serve-routes.ts'
import { createStreaming } from '../create-streaming.ts'

export interface Answer {
  status: number
  type: string | undefined
  body: Buffer
}

const network: NetworkStats = {
  rx_bytes: 1,
  rx_packets: 2,
  rx_errors: 0,
  rx_dropped: 0,
  tx_bytes: 3,
  tx_packets: 4,
  tx_errors: 0,
  tx_dropped: 0,
}

export class StreamingEngine {
  readonly kit: RuntimeKit
  readonly socketPath: string
  readonly records = new Map<string, ContainerRecord>()
  readonly events = new EngineEvents(() => Date.now())
  readonly streaming: ReturnType<typeof createStreaming>
  /** Restarts that are under way. */
  readonly restarts = new Map<string, Promise<void>>()
  readonly #running = new Set<string>()
  #listener: Listener | undefined

  constructor(kit: RuntimeKit) {
    this.kit = kit
    this.socketPath = join(kit.folder, 's.sock')
    this.streaming = createStreaming({
      find: (asked) => this.find(asked),
      logPath: ({ id, hostConfig }) => (hostConfig.LogConfig?.Type === 'none' ? undefined : kit.logPath(id)),
      events: this.events,
      now: () => Date.now(),
      runtime: kit.runtime,
      execProcess: async (_container, { cmd, env = [], workingDir, tty, consoleSize: [height, width] = [0, 0] }) => {
        const size = height > 0 && width > 0 ? { consoleSize: { height, width } } : {}
        return minimalProcess([...cmd], { env: ['PATH=/bin', ...env], cwd: workingDir || '/', terminal: tty, ...size })
      },
      emit: (record, action, attributes) => this.#emit(record, action, attributes),
      newId: () => randomBytes(32).toString('hex'),
      restarting: (id) => this.restarts.get(id),
      networking: { stats: async () => ({ eth0: network, eth1: network }) },
    })
  }

  async listen(): Promise<void> {
    const { routes, sockets } = this.streaming
    const { socketPath } = this
    const options = { address: { socketPath }, blobFolder: join(this.kit.folder, 'blobs') }
    this.#listener = await serveRoutes({ routes, sockets }, options)
  }

  find(asked: string): ContainerRecord {
    const found = this.records.get(asked) ?? [...this.records.values()].find(({ name }) => name === asked)
    if (found === undefined) throw noSuchContainer(asked)
    return found
  }

  logPathOf(id: string): string {
    return this.kit.logPath(id)
  }

  setStatus(id: string, status: ContainerStatus): void {
    const record = this.find(id)
    this.records.set(record.id, { ...record, state: { ...record.state, status } })
  }

  emit(id: string, action: string): void {
    this.#emit(this.find(id), action)
  }

  actions(id: string): EngineEvent[] {
    return this.events.past.map(({ event }) => event).filter(({ Actor }) => Actor.ID === this.find(id).id)
  }

  async create(config: Partial<ContainerConfig> = {}, hostConfig: Partial<HostConfig> = {}): Promise<string> {
    const id = randomBytes(32).toString('hex')
    await mkdir(join(this.kit.folder, 'containers', id), { recursive: true })
    this.records.set(id, recordOf(id, config as ContainerConfig, hostConfig as HostConfig))
    return id
  }

  /** Starts a shell command as the container's process; those who wait are connected before. */
  async run(id: string, script: string, detachKeys?: readonly number[]) {
    const { runtime } = this.kit
    await runtime.create(this.#processOf(id, script))
    await this.streaming.attachments.connectWaiting(id, detachKeys)
    await runtime.start(id)
    this.setStatus(id, 'running')
    this.emit(id, 'start')
    this.#running.add(id)
    return {
      exited: runtime.exited(id).then((exit) => {
        if (!this.records.has(id) || this.find(id).state.status === 'restarting') return exit
        this.setStatus(id, 'exited')
        this.emit(id, 'die')
        return exit
      }),
      kill: () => runtime.signal(id, 9),
      /** To its standard input, as a client that leaves again. */
      async write(text: string): Promise<void> {
        const { connection } = await runtime.attach(id, { stdin: true, stdout: false, stderr: false })
        connection.write(text, () => connection.destroy())
      },
    }
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = { 'content-type': 'application/json' }
    const sent = request({ socketPath: this.socketPath, method, path, headers, agent: false })
    sent.end(text)
    const [response] = await once(sent, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode, type: response.headers['content-type'], body: Buffer.concat(chunks) }
  }

  /** A request that the caller reads and leaves as it likes. */
  async open(path: string) {
    const sent = request({ socketPath: this.socketPath, method: 'GET', path, agent: false })
    sent.end()
    const [response] = await once(sent, 'response')
    return { sent, response }
  }

  dial(): Socket {
    return connect({ path: this.socketPath, allowHalfOpen: true })
  }

  async close(): Promise<void> {
    await this.#listener?.close(0)
    for (const id of this.#running) await this.kit.runtime.destroy(id)
    await this.kit.close()
  }

  #processOf(id: string, script: string) {
    const { config, hostConfig } = this.find(id)
    const { LogConfig } = hostConfig
    const log = { ...(LogConfig?.Type === 'none' ? {} : { path: this.kit.logPath(id) }), maxBytes: 0, maxFiles: 1 }
    return this.kit.container(['sh', '-c', script], {
      id,
      tty: config.Tty === true,
      process: { terminal: config.Tty === true },
      openStdin: config.OpenStdin === true,
      stdinOnce: config.StdinOnce === true,
      log: LogConfig?.Config ? logSettings(LogConfig, dirname(this.kit.logPath(id))) : log,
    })
  }

  #emit(record: ContainerRecord, action: string, attributes: Record<string, string> = {}): void {
    const { id, name, imageName, config } = record
    this.events.emit('container', action, id, { ...config.Labels, image: imageName, name, ...attributes })
  }
}

export async function startStreamingEngine(): Promise<StreamingEngine> {
  const engine = new StreamingEngine(await RuntimeKit.open())
  await engine.listen()
  return engine
}

const never = '0001-01-01T00:00:00Z'

function recordOf(id: string, config: ContainerConfig, hostConfig: HostConfig): ContainerRecord {
  return {
    id,
    name: `c-${id.slice(0, 8)}`,
    created: new Date().toISOString(),
    imageId: `sha256:${'a'.repeat(64)}`,
    imageName: 'busybox',
    os: 'linux',
    config,
    hostConfig,
    endpoints: { bridge: { IPAddress: '172.17.0.2' } as never },
    mounts: [],
    path: 'sh',
    args: [],
    state: {
      status: 'created',
      pid: 0,
      exitCode: 0,
      error: '',
      oomKilled: false,
      startedAt: never,
      finishedAt: never,
      stoppedByCaller: false,
    },
    restartCount: 0,
    ports: {},
  }
}

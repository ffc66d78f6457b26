// The process of a database's endpoint, as the cluster sees it: started, found again, told what to do.
import { spawn } from 'node:child_process'
import { chmod, mkdir, open, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { Answer, type Order, type ProxyConfig, Target } from '../proxy/control.ts'
import { type HandoverReport, uploadPatienceMs } from '../proxy/endpoint.ts'
import type { ProcessIdentity } from '../redis/processes.ts'
import { cpuTicksOf, ended, endProcessesIn, identify, ProcessWatch, processesIn, signal } from '../redis/processes.ts'
import type { Credentials, ShardAddress } from '../redis/redis-connection.ts'
import { readLogEnd } from '../redis/shard-log.ts'

export interface ProxySpec {
  /** Of its own. */
  folder: string
  listen: { host: string; port: number }
  target: ShardAddress
  credentials: Credentials
  maxClients: number
  /** Where clients have to speak TLS. */
  certificate?: () => Promise<{ cert: string; key: string }>
}

const Status = z.object({
  pid: z.int(),
  target: Target,
  clients: z.int(),
  listen: z.object({ host: z.string(), port: z.int() }),
})
export type ProxyStatus = z.infer<typeof Status>

const program = join(import.meta.dirname, '../proxy/proxy-process.ts')
/** Of a whole process, on a machine that has much else to do. One that ends is noticed at once. */
const startMs = 60_000
const orderMs = 10_000
const stopMs = 5000
const controlOf = (folder: string): string => join(folder, 'control.sock')
const logOf = (folder: string): string => join(folder, 'proxy.log')

export class ProxyControl {
  readonly spec: ProxySpec
  readonly #identity: ProcessIdentity
  readonly #watch: ProcessWatch

  private constructor(spec: ProxySpec, identity: ProcessIdentity) {
    this.spec = spec
    this.#identity = identity
    this.#watch = new ProcessWatch(identity, controlOf(spec.folder))
  }

  /** Resolves when it takes clients. */
  static async start(spec: ProxySpec): Promise<ProxyControl> {
    const { folder, listen, target, credentials, maxClients, certificate } = spec
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await endProcessesIn(folder)
    const tls = await certificate?.()
    const config: ProxyConfig = {
      ...{ listen, control: controlOf(folder), target, credentials, maxClients },
      ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
    }
    const path = join(folder, 'proxy.json')
    await writeFile(path, JSON.stringify(config), { mode: 0o600 })
    await chmod(path, 0o600)
    await rm(config.control, { force: true })
    return new ProxyControl(spec, await launch(folder, path))
  }

  /** Still running after a restart of Atoll, on the address it should have. */
  static async adopt(spec: ProxySpec): Promise<ProxyControl | undefined> {
    const working = await processesIn(spec.folder)
    if (working.length === 0) return undefined
    const status = await ask(spec.folder, { order: 'status' }, orderMs).then(Status.parse, () => undefined)
    const identity = working.find(({ pid }) => pid === status?.pid)
    const isSame = status?.listen.host === spec.listen.host && status.listen.port === spec.listen.port
    return identity !== undefined && isSame ? new ProxyControl(spec, identity) : undefined
  }

  get pid(): number {
    return this.#identity.pid
  }

  async status(): Promise<ProxyStatus> {
    return Status.parse(await this.#ask({ order: 'status' }))
  }

  /** Resolves when it has answered; it may take its time. */
  async answers(): Promise<void> {
    await this.status()
  }

  cpuTicks(): Promise<number | undefined> {
    return cpuTicksOf(this.#identity)
  }

  /** With no regard to its clients. */
  async kill(): Promise<void> {
    await signal(this.#identity, 'SIGKILL')
  }

  /** The replica becomes master, and nobody notices more than a pause. Throws, with all as it was, after the deadline. */
  async handOver(
    replica: ShardAddress,
    deadlineMs: number,
    replication?: { host: string; port: number },
  ): Promise<HandoverReport> {
    // Before the gate closes it may wait as long as behind it, and for long commands before that.
    const withinMs = 2 * deadlineMs + uploadPatienceMs + orderMs
    const order = { order: 'hand-over' as const, replica, deadlineMs, ...(replication && { replication }) }
    return (await this.#ask(order, withinMs)) as HandoverReport
  }

  async redirect(target: ShardAddress): Promise<void> {
    await this.#ask({ order: 'redirect', target })
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    await this.#ask({ order: 'stop' }).catch(() => undefined)
    if (await ended(this.#identity, stopMs)) return
    await signal(this.#identity, 'SIGKILL')
    await ended(this.#identity, stopMs)
  }

  onExit(listener: () => void): void {
    this.#watch.onExit(listener)
  }

  /** Without stopping it. */
  release(): void {
    this.#watch.close()
  }

  #ask(order: Order, withinMs = orderMs): Promise<unknown> {
    return ask(this.spec.folder, order, withinMs)
  }
}

async function launch(folder: string, config: string): Promise<ProcessIdentity> {
  await rename(logOf(folder), `${logOf(folder)}.before`).catch(() => undefined)
  await using log = await open(logOf(folder), 'a', 0o600)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, config], {
    cwd: await realpath(folder),
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('The proxy did not come up in time.')), startMs)
  child.once('message', () => resolve())
  child.once('error', reject)
  child.once('exit', () => reject(new Error('The proxy ended at its start.')))
  try {
    await promise
  } catch (error) {
    child.kill('SIGKILL')
    const words = await readLogEnd(logOf(folder)).catch(() => '')
    const reason = /^\w*Error: .*$/m.exec(words)?.[0] ?? (error as Error).message
    throw new Error(`The endpoint cannot be opened: ${reason}`)
  } finally {
    clearTimeout(timer)
    child.removeAllListeners()
    child.unref()
  }
  const pid = child.pid ?? 0
  return (await identify(pid)) ?? { pid, startTime: '' }
}

/** One line there, one line back. */
function ask(folder: string, order: Order, withinMs: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const socket = connect({ path: controlOf(folder) })
  socket.setTimeout(withinMs, () => socket.destroy(new Error(`The proxy did not answer ${order.order} in time.`)))
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('The proxy has closed the connection.')))
  const lines = createInterface({ input: socket })
  lines.on('error', reject)
  lines.once('line', (line) => {
    const { data: answer } = Answer.safeParse(JSON.parse(line))
    if (answer?.ok) resolve(answer.result)
    else reject(new Error(answer?.error ?? `The proxy answered ${line}`))
    socket.destroy()
  })
  socket.write(`${JSON.stringify(order)}\n`)
  return promise
}

// One shard as a process. It goes on when Atoll ends, and is found again.
import { spawn } from 'node:child_process'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessIdentity } from './processes.ts'
import {
  cpuTicksOf,
  ended,
  endProcessesIn,
  identify,
  isRunning,
  ProcessWatch,
  processesIn,
  signal,
} from './processes.ts'
import { infoOf, RedisConnection } from './redis-connection.ts'
import { RedisError, type Reply } from './reply.ts'
import {
  adminUser,
  clientRules,
  liveSettings,
  localModule,
  type ShardSettings,
  type ShardSpec,
  socketOf,
} from './shard-config.ts'
import { logOf, prepareFolder } from './shard-folder.ts'
import { readLogEnd, reasonsIn } from './shard-log.ts'

/** The server ended instead of serving. */
export class ShardFailed extends Error {
  override readonly name = 'ShardFailed'
}

const pollMs = 10
/** Longer than any start but for the loading of data, which may take what it takes. */
const silenceMs = 30_000
/** Of one that is found running. One that is silent is looked for again. */
const adoptMs = 3000
const shutdownMs = 30_000
const killMs = 10_000
/** As the kernel has it, with the zero at its end. */
const maxSocketPathBytes = 107
const dataNames = ['dump.rdb', 'appendonlydir']

export class ShardProcess {
  readonly spec: ShardSpec
  readonly runId: string
  readonly #identity: ProcessIdentity
  readonly #watch: ProcessWatch

  private constructor(spec: ShardSpec, identity: ProcessIdentity, runId: string) {
    this.spec = spec
    this.runId = runId
    this.#identity = identity
    this.#watch = new ProcessWatch(identity, socketOf(spec))
  }

  /** Resolves when it has loaded its data and serves. Throws ShardFailed with the server's own words. */
  static async start(spec: ShardSpec): Promise<ShardProcess> {
    if (Buffer.byteLength(socketOf(spec)) > maxSocketPathBytes) {
      throw new ShardFailed(`The path of the data folder is too long for a socket: ${socketOf(spec)}`)
    }
    await endProcessesIn(spec.folder)
    const identity = await launch(spec)
    const runId = await serving(spec, identity)
    return new ShardProcess(spec, identity, runId)
  }

  /** Still running after a restart of Atoll: it answers to the secret, and works in the shard's folder. */
  static async adopt(spec: ShardSpec): Promise<ShardProcess | undefined> {
    const working = await processesIn(spec.folder)
    if (working.length === 0) return undefined
    try {
      await using connection = await RedisConnection.open({ path: socketOf(spec) }, credentialsOf(spec), adoptMs)
      const { process_id, run_id = '' } = await infoOf(connection, 'server')
      const identity = working.find(({ pid }) => pid === Number(process_id))
      if (identity === undefined) return undefined
      await serving(spec, identity)
      return new ShardProcess(spec, identity, run_id)
    } catch {
      return undefined
    }
  }

  get pid(): number {
    return this.#identity.pid
  }

  get address(): { path: string } {
    return { path: socketOf(this.spec) }
  }

  isRunning(): Promise<boolean> {
    return isRunning(this.#identity)
  }

  /** How long it has computed so far; undefined when it has ended. */
  cpuTicks(): Promise<number | undefined> {
    return cpuTicksOf(this.#identity)
  }

  /** As user `atoll`. */
  connect(): Promise<RedisConnection> {
    return RedisConnection.open(this.address, credentialsOf(this.spec))
  }

  /** It refuses writes, since it cannot keep them. */
  async cannotWrite(): Promise<boolean> {
    await using connection = await this.connect()
    const info = await infoOf(connection, 'persistence')
    return info.aof_last_write_status === 'err' || info.rdb_last_bgsave_status === 'err'
  }

  /** Why it ended, as far as it said. */
  async lastWords(): Promise<string> {
    return reasonsIn(await readLogEnd(logOf(this.spec)))
  }

  /** Also when it was asked to stop. */
  onExit(listener: () => void): void {
    this.#watch.onExit(listener)
  }

  /** Without stopping it. */
  release(): void {
    this.#watch.close()
  }

  /** What can change while it runs. */
  async apply(settings: ShardSettings): Promise<void> {
    await using connection = await this.connect()
    for (const [name, value] of liveSettings(settings)) await connection.call('config', 'set', name, value)
    await connection.call('acl', 'setuser', 'default', ...clientRules(settings.passwordSha256))
  }

  /** Resolves when the process is gone. `kill`: with no regard to its data. */
  async stop({ kill = false }: { kill?: boolean } = {}): Promise<void> {
    if (!kill) await this.#shutDown().catch(() => undefined)
    if (await ended(this.#identity, kill ? 0 : shutdownMs)) return
    await signal(this.#identity, 'SIGKILL')
    if (!(await ended(this.#identity, killMs)))
      throw new Error(`Process ${this.pid} of shard ${this.spec.uid} does not end.`)
  }

  /** Refused as long as the first append-only file is being written: what it has is nowhere else yet. */
  async #shutDown(): Promise<void> {
    const until = performance.now() + shutdownMs
    while (performance.now() < until) {
      await using connection = await this.connect()
      const save = this.spec.persistence === 'snapshot' ? 'save' : 'nosave'
      try {
        await connection.callWithin(shutdownMs, 'shutdown', save)
      } catch (error) {
        if (!(error instanceof RedisError)) return
      }
      await delay(pollMs)
    }
  }
}

/** What a shard holds on disk, so that it begins empty. */
export async function eraseData(folder: string): Promise<void> {
  for (const name of dataNames) await rm(join(folder, name), { recursive: true, force: true })
}

const credentialsOf = ({ adminPassword }: ShardSpec) => ({ username: adminUser, password: adminPassword })

async function launch(spec: ShardSpec): Promise<ProcessIdentity> {
  const { config, log } = await prepareFolder(spec).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new ShardFailed(error.message) : error
  })
  await using _config = config
  await using _log = log
  const cwd = await realpath(spec.folder)
  const stdio = [config.fd, log.fd, log.fd]
  const child = spawn(spec.engine.program, ['-'], { ...spec.user, cwd, detached: true, stdio })
  child.unref()
  const { pid } = child
  if (pid === undefined) {
    const [error] = await new Promise<Error[]>((resolve) => child.once('error', (...errors) => resolve(errors)))
    throw new ShardFailed(`${spec.engine.program} cannot be started: ${error?.message}`)
  }
  return (await identify(pid)) ?? { pid, startTime: '' }
}

/** Waits until it serves, and has its modules. Resolves to its run id. */
async function serving(spec: ShardSpec, identity: ProcessIdentity): Promise<string> {
  let until = performance.now() + silenceMs
  for (;;) {
    const state = await look(spec).catch(() => undefined)
    if (state === undefined && !(await isRunning(identity))) {
      throw new ShardFailed(reasonsIn(await readLogEnd(logOf(spec))))
    }
    if (state?.isLoading === false && state.pid === identity.pid) {
      if (hasModules(spec, state.modules)) return state.runId
      throw new ShardFailed(`Shard ${spec.uid} does not have the modules it was started with.`)
    }
    if (state?.isLoading) until = performance.now() + silenceMs
    if (performance.now() > until) throw new ShardFailed(`Shard ${spec.uid} does not answer.`)
    await delay(pollMs)
  }
}

async function look(spec: ShardSpec) {
  await using connection = await RedisConnection.open({ path: socketOf(spec) }, credentialsOf(spec))
  const { process_id, run_id = '' } = await infoOf(connection, 'server')
  const { loading } = await infoOf(connection, 'persistence')
  const isLoading = loading === '1'
  const modules = isLoading ? [] : await connection.call('module', 'list')
  return { pid: Number(process_id), runId: run_id, isLoading, modules }
}

/** With the arguments they were given, where the server tells them. */
function hasModules(spec: ShardSpec, reply: Reply): boolean {
  const loaded = (reply as Reply[][]).map((fields) => {
    const at = (name: string): Reply | undefined =>
      fields.includes(name) ? fields[fields.indexOf(name) + 1] : undefined
    return { path: at('path'), args: at('args') as Reply[] | undefined }
  })
  return spec.modules.every(({ file, args }) =>
    loaded.some((each) => isAt(each.path, file) && (each.args ?? []).map(String).join(' ') === args.join(' ')),
  )
}

/** Shards that an earlier Atoll has started name the place where modules are kept. */
const isAt = (path: Reply | undefined, file: string): boolean => path === localModule(file) || path === file

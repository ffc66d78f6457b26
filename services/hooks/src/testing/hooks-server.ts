// A gateway on a real socket, on SQLite and on PostgreSQL. Without a runtime given, what hooks ask for is noted down.
import { type Clock, systemClock } from '@atoll/kernel/clock/clock'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { listen } from '@atoll/kernel/http/listen'
import type { Kernel } from '@atoll/kernel/kernel'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { describeBothTargets, type NewTarget, sqliteTarget } from '@atoll/testkit/both-targets'
import { dataDir } from '@atoll/testkit/temp-dir'
import { kernelWith } from '@atoll/testkit/template'
import { afterEach, describe } from 'vitest'
import { AgentsConfig, ChannelsConfig, HooksConfig } from '../config.ts'
import { createHooks, type Hooks } from '../hooks.ts'
import { hooksMigrations } from '../migrations.ts'
import type { AgentRuntime } from '../ports.ts'
import { NotingRuntime } from './noting-runtime.ts'

export const hookToken = 'hook-token-of-the-tests'
export const adminToken = 'admin-token-of-the-tests'

export interface HooksServer {
  url: string
  folder: string
  target: DatabaseTarget
  kernel: Kernel
  hooks: Hooks
  /** What it was asked to do, where no other runtime was given. */
  noted: NotingRuntime
  /** With the hook token, unless `headers` say otherwise. An object is sent as JSON, text and bytes as they are. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** All that was logged so far. */
  logged(): string
  close(): Promise<void>
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  body: any
}

export interface StartOptions {
  hooks?: unknown
  agents?: unknown
  channels?: unknown
  clock?: Clock
  runtime?: AgentRuntime
  platform?: { url: string; apiKey: string }
  /** Of ATOLL_HOOKS_TOKEN. */
  givenToken?: string
  /** On the database and the folder of this one, which may be closed. */
  after?: Pick<HooksServer, 'target' | 'folder'>
}

export type StartHooks = (options?: StartOptions) => Promise<HooksServer>

export function describeHooks(name: string, tests: (start: StartHooks) => void): void {
  describeBothTargets(name, (newTarget) => tests(starter(newTarget)))
}

/** For what has nothing to do with the database. */
export function describeHooksOnSqlite(name: string, tests: (start: StartHooks) => void): void {
  describe(name, () => tests(starter(sqliteTarget)))
}

function starter(newTarget: NewTarget): StartHooks {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  return async (options = {}) => {
    const server = await startHooks(newTarget, options)
    closing.push(server.close)
    return server
  }
}

/** Tokens are those of the tests, unless told: `hooks: { token: undefined }` leaves it away. */
export async function startHooks(newTarget: NewTarget, options: StartOptions = {}): Promise<HooksServer> {
  const { clock = systemClock, after } = options
  const target = after?.target ?? (await newTarget(kernelWith(hooksMigrations)))
  const folder = after?.folder ?? (target.kind === 'sqlite' ? target.folder : await dataDir())
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
  const database = { poolSize: 4, ...(target.kind === 'postgres' ? { url: target.url } : {}) }
  const kernel = await createKernel({
    config: { data: folder, database, blobs: {} },
    log,
    migrations: hooksMigrations,
    clock,
  })
  const noted = new NotingRuntime(kernel.db)
  const hooks = await createHooks({ kernel, ...needsOf(options), runtime: options.runtime ?? noted }).catch(
    closing(kernel),
  )
  const listener = await listen(hooks.service, {
    address: { host: '127.0.0.1', port: 0 },
    ...{ blobs: kernel.blobs, ids: kernel.ids, clock, log },
    checkResponses: true,
    health: { ready: async () => undefined },
  })
  await kernel.start()
  await hooks.start()
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await listener.close(1_000)
    await hooks.close(1_000)
    await kernel.close()
  }
  const post: HooksServer['post'] = (path, body, headers) => postTo(listener.url + path, body, headers)
  return { url: listener.url, folder, target, kernel, hooks, noted, post, logged: () => lines.join(''), close }
}

const closing =
  (kernel: Kernel) =>
  async (error: unknown): Promise<never> => {
    await kernel.close()
    throw error
  }

function needsOf({ hooks = {}, agents = {}, channels = {}, platform, givenToken }: StartOptions) {
  return {
    config: {
      hooks: HooksConfig.parse({ token: hookToken, adminToken, ...(hooks as object) }),
      agents: AgentsConfig.parse(agents),
      channels: ChannelsConfig.parse(channels),
    },
    platform: platform ?? { url: 'http://127.0.0.1:9', apiKey: 'no-key' },
    givenToken,
  }
}

export async function postTo(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${hookToken}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
}

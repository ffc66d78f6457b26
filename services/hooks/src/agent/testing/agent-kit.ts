// An agent on SQLite and on PostgreSQL, with a real platform, a scripted model, a real outbox and who hears its messages.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '@atoll/kernel/clock/clock'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import type { Kernel } from '@atoll/kernel/kernel'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import {
  describeBothTargets,
  describePostgres,
  describeSqliteOrBoth,
  type NewTarget,
  postgresTarget,
} from '@atoll/testkit/both-targets'
import { dataDir, tempDir } from '@atoll/testkit/temp-dir'
import { kernelWith } from '@atoll/testkit/template'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import type { z } from 'zod'
import type { WakeMode } from '../../actions.ts'
import { ChannelsConfig } from '../../channels/config.ts'
import { createOutbox, type WorkingOutbox } from '../../channels/outbox.ts'
import { type StandIn, startStandIn } from '../../channels/testing/web-stand-in.ts'
import { hooksMigrations } from '../../migrations.ts'
import { Agent } from '../agent.ts'
import { AgentsConfig } from '../config.ts'
import type { PlatformAddress } from '../platform/platform.ts'
import type { TurnRow } from '../turns/store.ts'
import { type Claim, claimed, type Hooked } from './claimed-delivery.ts'
import type { ScriptedModel } from './scripted-model.ts'
import { type ScriptedPlatform, startScriptedPlatform } from './scripted-platform.ts'

type Defaults = NonNullable<z.input<typeof AgentsConfig>['defaults']>

export interface StartOptions {
  clock?: Clock
  channels?: z.input<typeof ChannelsConfig>
  /** What HEARTBEAT.md says; absent: there is none. */
  heartbeatFile?: string
  /** On the database of this one: after it was closed, or beside it. */
  after?: Pick<TestAgent, 'target'>
  platform?: PlatformAddress
}

export interface TestAgent {
  agent: Agent
  kernel: Kernel
  outbox: WorkingOutbox
  target: DatabaseTarget
  /** What reached the chat channel, oldest first. */
  heard: { to: string; text: string }[]
  /** Runs one delivery to its end. */
  hook(claim: Claim): Promise<Hooked>
  wake(text: string, mode?: WakeMode, more?: { isUnsafe?: boolean }): Promise<void>
  /** The newest heartbeat, once so many have ended. */
  beats(count: number): Promise<TurnRow>
  logged(): string
  close(): Promise<void>
}

export interface AgentKit {
  model: ScriptedModel
  platform: ScriptedPlatform
  start(defaults?: Defaults, options?: StartOptions): Promise<TestAgent>
}

const patience = { timeout: 20_000, interval: 25 }
export const until = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, patience)

/** Several nodes need PostgreSQL. */
export const describeAgentNodes = (name: string, tests: (kit: AgentKit) => void): void =>
  describeAgent(name, tests, (title, inner) => describePostgres(title, () => inner(postgresTarget)))

/** For rules: the stores beneath are tried on both databases by the tests of crashes and of a hook's own turn. */
export const describeAgentOnSqliteOrBoth = (name: string, tests: (kit: AgentKit) => void): void =>
  describeAgent(name, tests, describeSqliteOrBoth)

export function describeAgent(
  name: string,
  tests: (kit: AgentKit) => void,
  describeTargets = describeBothTargets,
): void {
  let platform: ScriptedPlatform
  const kit: Partial<AgentKit> = {}
  beforeAll(async () => {
    platform = await startScriptedPlatform()
    Object.assign(kit, { platform, model: platform.model })
  })
  afterAll(() => platform?.close())
  describeTargets(name, (newTarget) => {
    const closing: (() => Promise<void>)[] = []
    beforeEach(() => {
      platform.model.asked = []
      platform.model.script = () => 'Done.'
      kit.start = async (defaults = {}, options = {}) => {
        const agent = await startAgent(newTarget, platform, defaults, options)
        closing.push(agent.close)
        return agent
      }
    })
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close()
    })
    tests(kit as AgentKit)
  })
}

async function startAgent(
  newTarget: NewTarget,
  platform: ScriptedPlatform,
  defaults: Defaults,
  { clock = systemClock, channels, heartbeatFile, after, platform: address = platform.address }: StartOptions,
): Promise<TestAgent> {
  const migrations = hooksMigrations
  const target = after?.target ?? (await newTarget(kernelWith(migrations)))
  const folder = target.kind === 'sqlite' ? target.folder : await dataDir()
  const workspace = await workspaceWith(heartbeatFile)
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
  const database = { poolSize: 4, ...(target.kind === 'postgres' ? { url: target.url } : {}) }
  const kernel = await createKernel({ config: { data: folder, database, blobs: {} }, log, migrations, clock })
  const chat = await startStandIn()
  const outbox = createOutbox(kernel, ChannelsConfig.parse(channels ?? chatWith(chat)))
  const config = AgentsConfig.parse({ defaults: { heartbeat: { every: '0m' }, workspace, ...defaults } })
  const agent = new Agent({ kernel, config, platform: address, outbox })
  await kernel.start()
  await outbox.start()
  await agent.start()
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await agent.stop()
    await outbox.stop(1_000)
    await kernel.close()
    await chat.close()
  }
  return {
    ...{ agent, kernel, outbox, target, close },
    get heard() {
      return chat.heard.map(({ body }) => ({ to: String(body.chat_id), text: String(body.text) }))
    },
    hook: (claim) => claimed(kernel, agent, claim),
    wake: (text, mode = 'now', { isUnsafe = false } = {}) =>
      kernel.db.transaction((tx) =>
        agent.addEvents(tx, [{ text, mode, trust: 'external', source: 'wake', allowUnsafeExternalContent: isUnsafe }]),
      ),
    beats: (count) => until(async () => newestOf(await agent.heartbeats(100), count)),
    logged: () => lines.join(''),
  }
}

function newestOf(beats: TurnRow[], count: number): TurnRow {
  const ended = beats.filter(({ ended_at }) => ended_at !== null)
  if (ended.length < count || ended[0] === undefined) throw new Error(`${ended.length} heartbeats have ended.`)
  return ended[0]
}

/** The one channel of these tests. */
const chatWith = ({ url }: StandIn): z.input<typeof ChannelsConfig> => ({
  telegram: { url, token: 'a-token' },
  default: { channel: 'telegram', to: '1000' },
  allowPrivateAddresses: ['127.0.0.1'],
})

async function workspaceWith(text: string | undefined): Promise<string> {
  const folder = join(await tempDir(), 'workspace')
  await mkdir(folder)
  if (text !== undefined) await writeFile(join(folder, 'HEARTBEAT.md'), text)
  return folder
}

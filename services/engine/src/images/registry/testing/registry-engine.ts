// A client with a store of its own, as one engine has them.
import { systemClock } from '@atoll/kernel/clock/clock'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { ProgressMessage } from '../../image-registry.ts'
import type { Platform } from '../../images.ts'
import { RegistryClient } from '../registry-client.ts'
import { type Patience, RegistrySettings } from '../settings.ts'
import { DiskBlobs } from './disk-blobs.ts'

export const quick: Patience = { idleMs: 1_000, smallAnswerMs: 3_000, commitMs: 2_000, backoffMs: 10 }

export interface Engine {
  /** What it told: `pull localhost:5000/x:latest`, and the attributes. */
  told: [string, Record<string, string> | undefined][]
  blobs: DiskBlobs
  client: RegistryClient
}

interface EngineWish {
  settings?: Partial<RegistrySettings>
  patience?: Partial<Patience>
  platform?: Platform
}

export async function makeEngine({ settings = {}, patience = {}, platform }: EngineWish = {}): Promise<Engine> {
  const blobs = await DiskBlobs.create(await tempDir())
  const told: Engine['told'] = []
  const client = new RegistryClient({
    events: { emit: (_, action, id, attributes) => void told.push([`${action} ${id}`, attributes]) },
    blobs,
    hostPlatform: platform ?? { os: 'linux', architecture: 'arm64' },
    settings: RegistrySettings.parse(settings),
    clock: systemClock,
    patience: { ...quick, idleMs: 5_000, smallAnswerMs: 10_000, ...patience },
  })
  return { blobs, client, told }
}

export async function all(stream: AsyncIterable<ProgressMessage>): Promise<ProgressMessage[]> {
  const messages: ProgressMessage[] = []
  for await (const message of stream) messages.push(message)
  return messages
}

/** The steps of one layer, in order, amounts told once. */
export function stepsOf(messages: readonly ProgressMessage[], id: string): string[] {
  const steps = messages.filter((message) => message.id === id).map(({ status = '' }) => status)
  return steps.filter((step, at) => step !== steps[at - 1])
}

/** Lines that belong to no layer. */
export const linesOf = (messages: readonly ProgressMessage[]): string[] =>
  messages.filter(({ id, status }) => id === undefined && status !== undefined).map(({ status = '' }) => status)

export const forever = (): AbortSignal => new AbortController().signal

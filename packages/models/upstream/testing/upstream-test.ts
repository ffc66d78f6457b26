// What the tests of the upstream runtime share: servers and runtimes that end with the test, and requests.
import { silentLog } from '@atoll/testkit/silent-log'
import { test } from 'vitest'
import type { z } from 'zod'
import type { Call } from '../../call.ts'
import type { ChatDelta, ChatModel, ChatRequest } from '../../chat.ts'
import type { DrawingModel } from '../../draw.ts'
import type { EmbeddingModel } from '../../embed.ts'
import type { ModerationModel } from '../../moderate.ts'
import { ModelProblem, type ModelProblemDetail } from '../../problem.ts'
import type { RuntimeLoad } from '../../runtime.ts'
import type { TextModel } from '../../text.ts'
import { createUpstreamRuntime, type UpstreamOptions } from '../create-runtime.ts'
import { UpstreamSettings } from '../settings.ts'
import { type Behaviour, type ModelServer, startModelServer } from './model-server.ts'

interface Ports {
  chat: ChatModel
  text: TextModel
  embeddings: EmbeddingModel
  moderation: ModerationModel
  drawing: DrawingModel
  load(): RuntimeLoad
  close(): Promise<void>
}

type Given = Omit<z.input<typeof UpstreamSettings>, 'kind' | 'model' | 'replicas'>

interface Weighted {
  server: ModelServer
  weight: number
}

export type Connect = (
  servers: ModelServer | (ModelServer | string | Weighted)[],
  given?: Given,
  options?: Partial<UpstreamOptions>,
) => Ports

interface Fixtures {
  serve(behaviour: Behaviour, port?: number): Promise<ModelServer>
  connect: Connect
}

export const it = test.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: how fixtures are written
  serve: async ({}, use) => {
    const servers: ModelServer[] = []
    await use(async (behaviour, port) => {
      const server = await startModelServer(behaviour, port)
      servers.push(server)
      return server
    })
    await Promise.all(servers.map((server) => server.kill()))
  },
  // biome-ignore lint/correctness/noEmptyPattern: how fixtures are written
  connect: async ({}, use) => {
    const runtimes: Ports[] = []
    await use((servers, given = {}, options = {}) => {
      const replicas = [servers].flat().map((server) => {
        if (typeof server === 'string') return server
        return 'weight' in server ? { url: server.server.url, weight: server.weight } : server.url
      })
      const settings = UpstreamSettings.parse({ kind: 'upstream', model: 'tiny', replicas, ...given })
      const runtime = createUpstreamRuntime(settings, { log: silentLog, ...options }) as Ports
      runtimes.push(runtime)
      return runtime
    })
    await Promise.all(runtimes.map((runtime) => runtime.close()))
  },
})

export const call = (signal: AbortSignal = new AbortController().signal, turn = 'project'): Call => ({ signal, turn })

export const chat = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [{ role: 'user', content: 'Hello there' }],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  responseFormat: { type: 'text' },
  choices: 1,
  maxTokens: undefined,
  sampling: plainSampling,
  topLogprobs: undefined,
  prediction: undefined,
  audio: undefined,
  user: undefined,
  ...more,
})

export const plainSampling: ChatRequest['sampling'] = {
  temperature: 1,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logitBias: new Map(),
  seed: undefined,
  stop: [],
}

export async function problemOf(work: Promise<unknown>): Promise<ModelProblem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ModelProblem) return error
  throw new Error('expected a ModelProblem', { cause: error })
}

export function upstreamDetail(problem: ModelProblem): Extract<ModelProblemDetail, { kind: 'upstream' }> {
  if (problem.detail.kind !== 'upstream') throw new Error(`expected upstream, was ${problem.detail.kind}`)
  return problem.detail
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

export const textOf = (steps: ChatDelta[]): string =>
  steps.map(({ choices }) => choices[0]?.delta.content ?? '').join('')

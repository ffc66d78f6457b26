// What the configuration says of batches, seen from a model's server.
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import {
  type Behaviour,
  chatAnswer,
  type ModelServer,
  sendJson,
  startModelServer,
} from '@atoll/models/upstream/testing/model-server'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it, onTestFinished } from 'vitest'
import type { z } from 'zod'
import type { PlatformConfig } from '../../config.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import type { BatchObject } from './schema.ts'

type Config = z.input<typeof PlatformConfig>

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `line-${index}`)

const chatLine = (custom_id: string): object => ({
  custom_id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'mine', messages: [{ role: 'user', content: custom_id }], max_tokens: 30 },
})

async function newBatch(platform: TestPlatform, lines: number): Promise<string> {
  const text = names(lines).map((name) => JSON.stringify(chatLine(name)))
  const { id } = await platform.addFile('requests.jsonl', text.join('\n'), 'batch')
  const body = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' }
  return ((await (await platform.post('/v1/batches', body)).json()) as unknown as BatchObject).id
}

const find = async (platform: TestPlatform, id: string): Promise<BatchObject> =>
  (await (await platform.get(`/v1/batches/${id}`)).json()) as unknown as BatchObject

const done = async (platform: TestPlatform, id: string): Promise<number> => {
  const { completed, failed } = (await find(platform, id)).request_counts
  return completed + failed
}

async function ended(platform: TestPlatform, id: string): Promise<BatchObject> {
  await waitUntil(async () => (await find(platform, id)).status === 'completed', 30_000)
  return find(platform, id)
}

async function customIds(platform: TestPlatform, fileId: string | null): Promise<string[]> {
  const text = await (await platform.get(`/v1/files/${fileId}/content`)).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).custom_id)
}

async function startServer(behaviour: Behaviour): Promise<ModelServer> {
  const server = await startModelServer(behaviour)
  onTestFinished(() => server.kill())
  return server
}

const answerSoon: Behaviour = async (response) => {
  await setTimeout(5)
  sendJson(response, chatAnswer('ok'))
}

const upstream = ({ url }: ModelServer, maxConnections: number, batches: Config['batches']): Config => ({
  batches,
  models: [{ id: 'mine', runtime: 'mine' }],
  runtimes: { mine: { kind: 'upstream', replicas: [url], model: 'tiny', maxConnections } },
})

describePlatformOnSqlite('batches', (start) => {
  it.each([
    { batches: { share: 0.25 }, expected: 2 },
    { batches: {}, expected: 4 },
  ])('take $expected of 8 connections to a server when told $batches', async ({ batches, expected }) => {
    const server = await startServer(answerSoon)
    const platform = await start({ config: upstream(server, 8, batches) })
    await ended(platform, await newBatch(platform, 60))
    expect(server.mostActive).toBe(expected)
  })

  it('take their share of the places of a GGUF model', async () => {
    const file = join(await tempDir(), 'random.gguf')
    writeRandomModel(file)
    const runtimes = { mine: { kind: 'llama' as const, file, slots: 8 } }
    const platform = await start({
      config: { batches: { share: 0.25 }, models: [{ id: 'mine', runtime: 'mine', serves: ['chat'] }], runtimes },
    })
    const id = await newBatch(platform, 30)
    const running = new Set<number>()
    await waitUntil(async () => {
      for (const load of platform.platform.inference.runtimes.loads()) running.add(load.running)
      return (await done(platform, id)) === 30
    }, 30_000)
    expect(Math.max(...running)).toBe(2)
  }, 60_000)

  it('run as many requests at once as they are told to', async () => {
    const server = await startServer(answerSoon)
    const platform = await start({ config: upstream(server, 1_000, { requestsAtOnce: 3, share: 1 }) })
    await ended(platform, await newBatch(platform, 150))
    expect(server.mostActive).toBe(3)
  })

  it.each([
    { when: 'as they finish', batches: {}, expected: (lines: string[]) => lines.toReversed() },
    {
      when: 'as in the input when told so',
      batches: { order: 'input' as const },
      expected: (lines: string[]) => lines,
    },
  ])('give results $when', async ({ batches, expected }) => {
    const held = new Map<string, ServerResponse>()
    const server = await startServer((response, { body }) => {
      const [message] = body.messages as { content: string }[]
      held.set(message?.content ?? '', response)
    })
    const platform = await start({ config: upstream(server, 100, batches) })
    const lines = names(12)
    const id = await newBatch(platform, lines.length)
    await waitUntil(() => held.size === lines.length)
    const isRefused = (name: string): boolean => lines.indexOf(name) % 3 === 0
    for (const [index, name] of lines.toReversed().entries()) {
      const response = held.get(name) as ServerResponse
      if (isRefused(name)) sendJson(response, { error: { message: 'No.', type: 'invalid_request_error' } }, 400)
      else sendJson(response, chatAnswer('ok'))
      await waitUntil(async () => (await done(platform, id)) === index + 1)
    }
    const { output_file_id, error_file_id } = await ended(platform, id)
    const ordered = expected(lines)
    expect(await customIds(platform, output_file_id)).toEqual(ordered.filter((name) => !isRefused(name)))
    expect(await customIds(platform, error_file_id)).toEqual(ordered.filter(isRefused))
  })
})

// The order in which lines finished is kept when the server is killed between them.

import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { chatAnswer, type ModelServer, sendJson, startModelServer } from '@atoll/models/upstream/testing/model-server'
import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'

const lines = Array.from({ length: 20 }, (_, index) => `line-${index}`)
const first = lines.slice(10)
const second = lines.slice(0, 10)
const apiKey = 'sk-batch-order'
let model: ModelServer

beforeAll(async () => {
  model = await startModelServer(() => undefined)
})
afterAll(() => model.kill())

/** A server on the same data each time it is started. */
class Node {
  readonly #args: string[]
  #server: ServerProcess | undefined
  #url = ''

  constructor(args: string[]) {
    this.#args = args
  }

  async start(): Promise<void> {
    const env = { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-batch-order' }
    this.#server = new ServerProcess({ args: this.#args, env })
    this.#url = await this.#server.ready()
  }

  async kill(): Promise<void> {
    await this.#server?.kill()
  }

  call(path: string, body?: object | FormData): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${apiKey}` }
    if (body === undefined) return fetch(`${this.#url}/v1${path}`, { headers })
    if (body instanceof FormData) return fetch(`${this.#url}/v1${path}`, { method: 'POST', headers, body })
    headers['content-type'] = 'application/json'
    return fetch(`${this.#url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
}

async function createBatch(node: Node): Promise<string> {
  const text = lines.map((custom_id) => {
    const body = { model: 'stub', messages: [{ role: 'user', content: custom_id }] }
    return JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body })
  })
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob([text.join('\n')]), 'lines.jsonl')
  const { id } = (await (await node.call('/files', form)).json()) as { id: string }
  const request = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' }
  return ((await (await node.call('/batches', request)).json()) as BatchObject).id
}

it.each([
  { order: 'finished', expected: [...first.toReversed(), ...second.toReversed()] },
  { order: 'input', expected: lines },
])(
  'is kept over kill -9, and the order of results is $order when configured so',
  { timeout: 60_000 },
  async (given) => {
    const folder = await tempDir()
    const config = join(folder, 'atoll.json')
    const stub = { kind: 'upstream', replicas: [model.url], model: 'stub' }
    const platform = {
      runtimes: { stub },
      models: [{ id: 'stub', runtime: 'stub' }],
      batches: { order: given.order },
    }
    writeFileSync(config, JSON.stringify({ platform }))
    const node = new Node(['--config', config, '--data', join(folder, 'data'), '--port', '0'])
    const find = async (): Promise<BatchObject> => (await (await node.call(`/batches/${id}`)).json()) as BatchObject
    const done = async (): Promise<number> => (await find()).request_counts.completed
    const wait = { timeout: 30_000 }

    await node.start()
    const held = holdAnswers()
    const id = await createBatch(node)
    await expect.poll(() => held.size, wait).toBe(lines.length)
    for (const [index, name] of first.toReversed().entries()) {
      answer(held, name)
      await expect.poll(done, wait).toBe(index + 1)
    }
    await node.kill()
    const heldAgain = holdAnswers()
    await node.start()
    await expect.poll(() => heldAgain.size, wait).toBe(second.length)
    for (const [index, name] of second.toReversed().entries()) {
      answer(heldAgain, name)
      await expect.poll(done, wait).toBe(first.length + index + 1)
    }
    await expect.poll(async () => (await find()).status, wait).toBe('completed')
    const output = await (await node.call(`/files/${(await find()).output_file_id}/content`)).text()
    const order = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).custom_id)
    expect(order).toEqual(given.expected)
    await node.kill()
  },
)

/** What the model is asked from now on, unanswered. */
function holdAnswers(): Map<string, ServerResponse> {
  const held = new Map<string, ServerResponse>()
  model.behave((response, { body }) => {
    const [message] = body.messages as { content: string }[]
    held.set(message?.content ?? '', response)
  })
  return held
}

function answer(held: Map<string, ServerResponse>, name: string): void {
  const response = held.get(name)
  if (response === undefined) throw new Error(`${name} was not asked`)
  sendJson(response, chatAnswer('ok'))
}

import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startChatModel } from '../../testing/chat-model.ts'
import { describePlatform, describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import type { BatchObject } from './schema.ts'

interface OutputLine {
  id: string
  custom_id: string
  response: { status_code: number; request_id: string; body: Record<string, unknown> } | null
  error: { code: string; message: string } | null
}

const chatLine = (custom_id: string, body: object = {}, more: object = {}) => ({
  custom_id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: custom_id }], max_tokens: 4, ...body },
  ...more,
})

const textOf = (lines: (object | string)[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')

async function newBatch(platform: TestPlatform, lines: (object | string)[], fields: object = {}): Promise<BatchObject> {
  const { id } = await platform.addFile('requests.jsonl', textOf(lines), 'batch')
  const body = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h', ...fields }
  const response = await platform.post('/v1/batches', body)
  expect(response.status).toBe(200)
  return response.json() as Promise<unknown> as Promise<BatchObject>
}

async function find(platform: TestPlatform, id: string): Promise<BatchObject> {
  const batch = (await (await platform.get(`/v1/batches/${id}`)).json()) as unknown as BatchObject
  checkPublished('Batch', batch)
  return batch
}

async function ended(platform: TestPlatform, id: string): Promise<BatchObject> {
  let before = 0
  for (;;) {
    const batch = await find(platform, id)
    const { total, completed, failed } = batch.request_counts
    expect(completed + failed).toBeGreaterThanOrEqual(before)
    expect(completed + failed).toBeLessThanOrEqual(total)
    before = completed + failed
    if (['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) return batch
    await setTimeout(20)
  }
}

async function linesOf(platform: TestPlatform, fileId: string | null): Promise<OutputLine[]> {
  if (fileId === null) return []
  const file = await (await platform.get(`/v1/files/${fileId}`)).json()
  expect(file).toMatchObject({ purpose: 'batch_output', filename: expect.stringMatching(/\.jsonl$/) })
  const text = await (await platform.get(`/v1/files/${fileId}/content`)).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const chatModel = startChatModel()

describePlatform('a batch', (start) => {
  const running = (): Promise<TestPlatform> => start({ runtimes: chatModel() })

  it('INF-161 INF-162 INF-163 INF-167 INF-168 INF-169 INF-170 begins as validating, with nothing counted', async () => {
    const platform = await running()
    const batch = await newBatch(platform, [chatLine('a')], { metadata: { night: 'first' } })
    checkPublished('Batch', batch)
    expect(batch).toEqual({
      ...{ id: expect.stringMatching(/^batch_/), object: 'batch', endpoint: '/v1/chat/completions', errors: null },
      ...{ input_file_id: expect.stringMatching(/^file-/), completion_window: '24h', status: 'validating' },
      ...{ output_file_id: null, error_file_id: null, created_at: expect.any(Number), in_progress_at: null },
      ...{ expires_at: batch.created_at + 86_400, finalizing_at: null, completed_at: null, failed_at: null },
      ...{ expired_at: null, cancelling_at: null, cancelled_at: null, metadata: { night: 'first' } },
      request_counts: { total: 0, completed: 0, failed: 0 },
    })
    expect((await find(platform, batch.id)).id).toBe(batch.id)
  })

  it('INF-171 INF-172 INF-174 INF-175 INF-177 INF-178 INF-179 INF-189 INF-194 runs every line once', async () => {
    const platform = await running()
    const lines = Array.from({ length: 150 }, (_, index) => chatLine(`line-${index}`))
    const { id } = await newBatch(platform, lines)
    const batch = await ended(platform, id)
    expect(batch).toMatchObject({ status: 'completed', errors: null, error_file_id: null })
    expect(batch.request_counts).toEqual({ total: 150, completed: 150, failed: 0 })
    for (const time of ['in_progress_at', 'finalizing_at', 'completed_at'] as const)
      expect(batch[time]).toEqual(expect.any(Number))
    const output = await linesOf(platform, batch.output_file_id)
    expect(new Set(output.map(({ custom_id }) => custom_id))).toEqual(new Set(lines.map(({ custom_id }) => custom_id)))
    expect(output).toHaveLength(150)
    expect(output[0]).toEqual({
      id: expect.stringMatching(/^batch_req_/),
      custom_id: expect.any(String),
      response: {
        status_code: 200,
        request_id: expect.stringMatching(/^req_/),
        body: expect.objectContaining({ object: 'chat.completion' }),
      },
      error: null,
    })
  }, 60_000)

  it('INF-176 tells requests that fail in a file of their own', async () => {
    const platform = await running()
    const { id } = await newBatch(platform, [chatLine('good'), chatLine('bad', { temperature: 9 })])
    const batch = await ended(platform, id)
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 })
    expect(await linesOf(platform, batch.output_file_id)).toHaveLength(1)
    const [failed] = await linesOf(platform, batch.error_file_id)
    expect(failed).toMatchObject({ custom_id: 'bad', error: null, response: { status_code: 400 } })
    expect(failed?.response?.body).toMatchObject({ error: { param: 'temperature' } })
    const { id: second } = await newBatch(platform, [chatLine('only', { messages: [] })])
    expect(await ended(platform, second)).toMatchObject({ status: 'completed', output_file_id: null })
  }, 60_000)

  it('fails without its input: unknown, of another project, or deleted before a line was run', async () => {
    const platform = await running()
    const foreign = await (await platform.addProject('other')).addFile('a.jsonl', textOf([chatLine('a')]), 'batch')
    const deleted = await platform.addFile('a.jsonl', textOf([chatLine('a')]), 'batch')
    await platform.delete(`/v1/files/${deleted.id}`)
    for (const input_file_id of ['file-none', foreign.id, deleted.id]) {
      const { id } = await newBatch(platform, [], { input_file_id })
      const batch = await ended(platform, id)
      expect(batch).toMatchObject({ status: 'failed', failed_at: expect.any(Number), output_file_id: null })
      const message = `Cannot find file ${input_file_id}, or organization ${platform.caller.organizationId} does not have access to it.`
      expect(batch.errors?.data).toEqual([{ code: 'invalid_request', message, param: 'file_id', line: null }])
    }
  })

  it('fails when its input is deleted while it runs, and keeps what was done', async () => {
    const gate = Promise.withResolvers<void>()
    const model = new ScriptedChatModel(() => [{ wait: gate.promise }, 'done'])
    const platform = await start({ runtimes: model.runtimes, config: { batches: { requestsAtOnce: 1 } } })
    const lines = Array.from({ length: 70 }, (_, index) => chatLine(`line-${index}`))
    const { id, input_file_id } = await newBatch(platform, lines)
    await waitUntil(() => model.requests.length > 0)
    expect((await platform.delete(`/v1/files/${input_file_id}`)).status).toBe(200)
    gate.resolve()
    const batch = await ended(platform, id)
    expect(batch).toMatchObject({ status: 'failed', failed_at: expect.any(Number), completed_at: null })
    expect(batch.errors?.data).toMatchObject([{ code: 'invalid_request', param: 'file_id' }])
    // A chunk that was read before goes on to its end.
    expect(batch.request_counts).toEqual({ total: 70, completed: 64, failed: 0 })
    expect(await linesOf(platform, batch.output_file_id)).toHaveLength(64)
    expect(await platform.kernel.jobs.counts()).toMatchObject({ dead: 0 })
  })

  it('INF-180 INF-181 INF-217 can be cancelled, and keeps what was done', async () => {
    const platform = await running()
    const lines = Array.from({ length: 400 }, (_, index) => chatLine(`line-${index}`, { max_tokens: 40 }))
    const { id } = await newBatch(platform, lines)
    while ((await find(platform, id)).request_counts.completed < 3) await setTimeout(5)
    const response = await platform.post(`/v1/batches/${id}/cancel`)
    expect(await response.json()).toMatchObject({ status: 'cancelling', cancelling_at: expect.any(Number) })
    const batch = await ended(platform, id)
    expect(batch).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) })
    const { completed, total } = batch.request_counts
    expect(total).toBe(400)
    expect(completed).toBeLessThan(400)
    expect(await linesOf(platform, batch.output_file_id)).toHaveLength(completed)
  }, 60_000)

  it('can be cancelled once more, but not after it has ended otherwise', async () => {
    const gate = Promise.withResolvers<void>()
    const model = new ScriptedChatModel(() => [{ wait: gate.promise }, 'done'])
    const platform = await start({ runtimes: model.runtimes })
    const { id } = await newBatch(platform, [chatLine('a')])
    await waitUntil(() => model.requests.length > 0)
    const cancel = (batch: string) => platform.post(`/v1/batches/${batch}/cancel`)
    expect(await (await cancel(id)).json()).toMatchObject({ status: 'cancelling' })
    expect((await cancel(id)).status).toBe(200)
    gate.resolve()
    const { cancelled_at } = await ended(platform, id)
    const again = await cancel(id)
    expect({ code: again.status, ...(await again.json()) }).toMatchObject({
      code: 200,
      status: 'cancelled',
      cancelled_at,
    })

    const { id: whole } = await newBatch(platform, [chatLine('b')])
    await ended(platform, whole)
    const refused = await cancel(whole)
    expect(refused.status).toBe(409)
    const message = "Cannot cancel a batch with status 'completed'."
    expect((await refused.json()).error).toMatchObject({ message, type: 'invalid_request_error', code: null })
  })

  it('INF-216 expires after its day: what was done is kept, the rest told', async () => {
    const platform = await running()
    const { id } = await newBatch(platform, [chatLine('a'), chatLine('b')])
    await ended(platform, id)
    const { id: late } = await newBatch(
      platform,
      Array.from({ length: 300 }, (_, index) => chatLine(`l${index}`, { max_tokens: 60 })),
    )
    while ((await find(platform, late)).request_counts.completed < 2) await setTimeout(5)
    await platform.kernel.db.queries.updateTable('batches').set({ expires_at: 1 }).where('id', '=', late).execute()
    await platform.platform.batchJobs.expireOverdue()
    const batch = await ended(platform, late)
    expect(batch).toMatchObject({ status: 'expired', expired_at: expect.any(Number) })
    const { total, completed, failed } = batch.request_counts
    expect([total, completed + failed]).toEqual([300, 300])
    const told = await linesOf(platform, batch.error_file_id)
    expect(told).toHaveLength(failed)
    expect(told[0]).toMatchObject({ response: null, error: { code: 'batch_expired' } })
  }, 60_000)

  it('INF-182 INF-183 is listed in its project, newest first', async () => {
    const platform = await running()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift((await newBatch(platform, [chatLine(name)])).id)
    const list = await (await platform.get('/v1/batches?limit=2')).json()
    expect(list).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[1], has_more: true })
    const rest = await (await platform.get(`/v1/batches?limit=2&after=${ids[1]}`)).json()
    expect(rest).toMatchObject({ last_id: ids[2], has_more: false })
    const other = await platform.addProject('other')
    expect((await other.get(`/v1/batches/${ids[0]}`)).status).toBe(404)
    expect((await (await other.get('/v1/batches')).json()).data).toEqual([])
  })
})

describePlatformOnSqlite('what a batch takes and does', (start) => {
  const running = (): Promise<TestPlatform> => start({ runtimes: chatModel() })

  it('INF-165 INF-173 fails as a whole when its input is wrong, and names every line', async () => {
    const platform = await running()
    const { id } = await newBatch(platform, [
      chatLine('a'),
      'no json',
      chatLine('a'),
      '',
      chatLine('b', {}, { method: 'GET' }),
      chatLine('c', {}, { url: '/v1/embeddings' }),
      chatLine('d', { model: 'gpt-4o' }),
      chatLine('e', { stream: true }),
      chatLine('', {}, { custom_id: undefined }),
      { custom_id: 'f', method: 'POST', url: '/v1/chat/completions' },
      chatLine('g'.repeat(512)),
      chatLine('g'.repeat(513)),
      chatLine('h', {}, { method: undefined, url: undefined }),
      chatLine('i', { model: undefined }),
      chatLine('j', { messages: undefined }),
      chatLine('k', { model: 'nobody' }),
      chatLine('l', { model: 'text-embedding-3-small' }),
    ])
    const batch = await ended(platform, id)
    expect(batch).toMatchObject({ status: 'failed', failed_at: expect.any(Number), output_file_id: null })
    expect(batch.errors?.data.map(({ code, line, param }) => [code, line, param])).toEqual([
      ['invalid_json_line', 2, null],
      ['duplicate_custom_id', 3, 'custom_id'],
      ['invalid_method', 5, 'method'],
      ['invalid_url', 6, 'url'],
      ['model_mismatch', 7, 'body.model'],
      ['streaming_unsupported', 8, 'body.stream'],
      ['missing_required_parameter', 9, 'custom_id'],
      ['missing_required_parameter', 10, 'body'],
      ['string_above_max_length', 12, 'custom_id'],
      ['missing_required_parameter', 13, 'method'],
      ['missing_required_parameter', 13, 'url'],
      ['invalid_request', 14, 'body.model'],
      ['invalid_request', 15, 'body.messages'],
      ['model_not_found', 16, 'body.model'],
      ['model_not_found', 17, 'body.model'],
    ])
    const messageOf = (line: number) => batch.errors?.data.find((error) => error.line === line)?.message
    expect([6, 8, 12, 13, 15, 16].map(messageOf)).toEqual([
      'The URL provided for this request does not match the batch endpoint.',
      'Chat Completions: Streaming is not supported in the Batch API.',
      'The custom_id is too long: it has 513 characters, at most 512 are allowed.',
      "Missing required parameter: 'method'.",
      'Messages parameter is required.',
      "The provided model 'nobody' is not supported by the Batch API.",
    ])
    const { id: empty } = await newBatch(platform, ['', ' '])
    expect((await ended(platform, empty)).errors?.data).toMatchObject([{ code: 'empty_file' }])
  }, 60_000)

  it('INF-215 may hold 50,000 requests, and 50,000 inputs of embeddings', async () => {
    const platform = await start()
    const tiny = (index: number): string =>
      `{"custom_id":"${index}","method":"POST","url":"/v1/embeddings","body":{"model":"text-embedding-3-small","input":["a","b"]}}`
    const many = (count: number) => Array.from({ length: count }, (_, index) => tiny(index))
    const { id } = await newBatch(platform, many(25_001), { endpoint: '/v1/embeddings' })
    expect((await ended(platform, id)).errors?.data).toMatchObject([{ code: 'too_many_embedding_inputs', line: null }])
    const { id: second } = await newBatch(platform, many(50_001), { endpoint: '/v1/embeddings' })
    const codes = (await ended(platform, second)).errors?.data.map(({ code }) => code)
    expect(codes).toEqual(['too_many_tasks', 'too_many_embedding_inputs'])
  }, 60_000)

  it('names the first thousand errors, and counts the rest', async () => {
    const platform = await running()
    const { id } = await newBatch(
      platform,
      Array.from({ length: 1_200 }, () => '{}'),
    )
    const { errors } = await ended(platform, id)
    expect(errors?.data).toHaveLength(1_001)
    expect(errors?.data.at(-1)).toMatchObject({
      code: 'more_errors',
      message: expect.stringMatching(/^\d+ more errors/),
    })
  }, 60_000)

  it('INF-163 INF-164 INF-166 is refused with a wrong file, endpoint or window', async () => {
    const platform = await running()
    const file = await platform.addFile('a.txt', 'x', 'assistants')
    const create = async (fields: object) => {
      const body = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h', ...fields }
      const response = await platform.post('/v1/batches', body)
      return { status: response.status, ...(await response.json()).error }
    }
    expect(await create({})).toMatchObject({ status: 400, param: 'input_file_id' })
    expect(await create({ endpoint: '/v1/moderations' })).toMatchObject({ status: 400, param: 'endpoint' })
    expect(await create({ completion_window: '1h' })).toMatchObject({ status: 400, param: 'completion_window' })
  })

  it('INF-184 costs half of what the same requests cost one by one', async () => {
    const platform = await running()
    const line = chatLine('x', { temperature: 0, seed: 1 })
    await (await platform.post('/v1/chat/completions', line.body)).json()
    await ended(platform, (await newBatch(platform, [line])).id)
    const metrics = await platform.kernel.metrics.text()
    const dollars = (batch: boolean): number =>
      Number(new RegExp(`atoll_list_price_dollars_total{.*batch="${batch}".*} (\\S+)`).exec(metrics)?.[1])
    // The second time the prompt is found in the cache, at half the price.
    const [cached, fresh] = [0.075, 0.15]
    expect(dollars(true)).toBeGreaterThan(0)
    expect(dollars(true)).toBeLessThanOrEqual(dollars(false) / 2 + 1e-12)
    expect(dollars(true)).toBeGreaterThanOrEqual((dollars(false) / 2) * (cached / fresh) - 1e-12)
  }, 60_000)

  it('runs embeddings and completions too', async () => {
    const platform = await start()
    const embedding = {
      custom_id: 'e',
      method: 'POST',
      url: '/v1/embeddings',
      body: { model: 'text-embedding-3-small', input: 'sea' },
    }
    const { id } = await newBatch(platform, [embedding], { endpoint: '/v1/embeddings' })
    const [embedded] = await linesOf(platform, (await ended(platform, id)).output_file_id)
    expect(embedded?.response?.body).toMatchObject({ object: 'list', data: [{ object: 'embedding' }] })
    const text = {
      custom_id: 't',
      method: 'POST',
      url: '/v1/completions',
      body: { model: 'davinci-002', prompt: 'sea', max_tokens: 3 },
    }
    const { id: second } = await newBatch(platform, [text], { endpoint: '/v1/completions' })
    const [completed] = await linesOf(platform, (await ended(platform, second)).output_file_id)
    expect(completed?.response?.body).toMatchObject({ object: 'text_completion' })
  }, 60_000)
})

import { expect, it } from 'vitest'
import type { UsageEvent } from '../../../inference/usage/event.ts'
import { costsPerDollar } from '../../../inference/usage/list-price.ts'
import { usageEvent } from '../../../inference/usage/testing/usage-event.ts'
import { describePlatform, type TestPlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import { adminOf, refusalOf } from '../testing/admin-client.ts'
import { asPage } from '../usage/testing/usage-page.ts'

const day = 86_400
/** A midnight of long ago. */
const midnight = 1_700_006_400
const object = 'organization.costs.result'
const usd = (value: number) => ({ value: expect.closeTo(value, 9), currency: 'usd' })

async function record(platform: TestPlatform, events: (Partial<UsageEvent> & { id: string })[]): Promise<void> {
  const { organizationId: organization_id, projectId: project_id } = platform.caller
  const { usage } = platform.platform.inference
  for (const event of events) usage.record(usageEvent({ organization_id, project_id, created_at: midnight, ...event }))
  await usage.flush()
}

const dollars = (input: number, cached: number, output: number) => ({
  input_cost: input * costsPerDollar,
  cached_input_cost: cached * costsPerDollar,
  output_cost: output * costsPerDollar,
})

describePlatform('costs', (start) => {
  const prices = { inputPerMillion: 100_000, cachedInputPerMillion: 10_000, outputPerMillion: 200_000 }
  const models = [
    { id: 'dear', runtime: 'builtin-chat', prices },
    { id: 'free', runtime: 'builtin-chat' },
  ]
  const model = new ScriptedChatModel([{ pieces: ['hello'], promptTokens: 20, completionTokens: 10 }])

  it('of real calls are by the price list, line by line (AST-281, AST-282, AST-286, AST-287)', async () => {
    const platform = await start({ runtimes: model.runtimes, config: { models } })
    const began = Math.floor(Date.now() / 1000)
    const messages = [{ role: 'user', content: 'hi' }]
    for (const model of ['dear', 'dear', 'free']) await platform.post('/v1/chat/completions', { model, messages })
    await platform.platform.inference.usage.flush()
    const { usage } = adminOf(platform)
    const ask = async (query: object = {}) => {
      const page = asPage(await usage.costs({ start_time: began, ...query }))
      checkPublished('UsageResponse', page)
      return page.data.flatMap(({ results }) => results)
    }
    expect(await ask()).toEqual([{ object, amount: usd(8), line_item: null, project_id: null }])
    const { projectId: project_id } = platform.caller
    const lines = [
      { object, amount: usd(4), line_item: 'dear, input', project_id: null },
      { object, amount: usd(4), line_item: 'dear, output', project_id: null },
    ]
    expect(await ask({ group_by: ['line_item'] })).toEqual(lines)
    expect(await ask({ group_by: ['project_id'] })).toEqual([{ object, amount: usd(8), line_item: null, project_id }])
    expect(await ask({ group_by: ['line_item', 'project_id'] })).toEqual(lines.map((line) => ({ ...line, project_id })))
    expect(await ask({ project_ids: ['proj_none'] })).toEqual([])
    const key = {
      object,
      amount: usd(8),
      line_item: null,
      project_id: null,
      api_key_id: expect.stringMatching(/^key_/),
    }
    expect(await ask({ group_by: ['api_key_id'] })).toEqual([key])
    expect(await ask({ api_key_ids: ['key_none'] })).toEqual([])
    const [{ api_key_id } = { api_key_id: '' }] = (await ask({ group_by: ['api_key_id'] })) as { api_key_id?: string }[]
    expect(await ask({ api_key_ids: [api_key_id] })).toHaveLength(1)
    expect(await ask({ project_ids: [project_id] })).toHaveLength(1)
  })

  it('of batches are half, of cached input less, and stay as they were when the list changes', async () => {
    const platform = await start({ runtimes: model.runtimes, config: { models } })
    const { meter } = platform.platform.inference
    const used = { model: 'x', input: 30, cachedInput: 10, output: 5 }
    for (const batch of [false, true]) {
      const call = await meter(platform.caller, { id: 'dear' }, { operation: 'chat', tokens: 50, batch })
      call.finish(used)
    }
    await platform.close()
    const cheaper = models.map(({ id, runtime }) => ({ id, runtime }))
    const next = await start({ runtimes: model.runtimes, config: { models: cheaper }, after: platform })
    const query = { start_time: Math.floor(Date.now() / 1000) - day, group_by: ['line_item' as const] }
    const page = asPage(await adminOf(next).usage.costs(query))
    expect(page.data.flatMap(({ results }) => results)).toEqual([
      { object, amount: usd(1.5 * 0.1), line_item: 'dear, cached input', project_id: null },
      { object, amount: usd(1.5 * 2), line_item: 'dear, input', project_id: null },
      { object, amount: usd(1.5 * 1), line_item: 'dear, output', project_id: null },
    ])
  })

  it('of images, audio, sessions of code and storage have line items of their own (AST-282)', async () => {
    const platform = await start()
    await record(platform, [
      { id: 'a', operation: 'images', model: 'dall-e-3', ...dollars(0, 0, 0.08) },
      { id: 'b', operation: 'audio_speeches', model: 'tts-1', ...dollars(0, 0, 0.015) },
      { id: 'c', operation: 'audio_transcriptions', model: 'whisper-1', ...dollars(0, 0, 0.006) },
      { id: 'd', operation: 'code_interpreter_sessions', model: '', ...dollars(0, 0, 0.03) },
      { id: 'e', operation: 'embeddings', model: 'embed', ...dollars(0.5, 0, 0) },
      { id: 'f', operation: 'embeddings', model: 'embed', organization_id: 'org_other', ...dollars(0.5, 0, 0) },
    ])
    const { organizationId: organization_id, projectId: project_id } = platform.caller
    const stored = { organization_id, project_id, gigabyte_day_cost: costsPerDollar }
    const steps = [
      { ...stored, since: midnight + day / 2, bytes: 3e9 },
      { ...stored, since: midnight + day + day / 4, bytes: 0 },
    ]
    await platform.kernel.db.queries.insertInto('usage_storage').values(steps).execute()
    const query = { start_time: midnight, end_time: midnight + 2 * day, group_by: ['line_item' as const] }
    const page = asPage(await adminOf(platform).usage.costs(query))
    const line = (line_item: string, value: number) => ({ object, amount: usd(value), line_item, project_id: null })
    expect(page.data.map(({ results }) => results)).toEqual([
      [
        line('code interpreter sessions', 0.03),
        line('dall-e-3, images', 0.08),
        line('embed, input', 0.5),
        line('tts-1, characters', 0.015),
        line('vector store storage', 1.5),
        line('whisper-1, seconds', 0.006),
      ],
      [line('vector store storage', 0.75)],
    ])
  })

  it('come in pages of days, from the start to before the end (AST-281, AST-283, AST-284, AST-285, AST-288)', async () => {
    const platform = await start()
    const spent = dollars(1, 0, 0)
    await record(platform, [
      { id: 'before', created_at: midnight - 1, ...spent },
      { id: 'first', created_at: midnight, ...spent },
      { id: 'later', created_at: midnight + 9 * day - 1, ...spent },
      { id: 'after', created_at: midnight + 9 * day, ...spent },
    ])
    const { usage } = adminOf(platform)
    const query = { start_time: midnight, end_time: midnight + 9 * day }
    const first = asPage(await usage.costs({ ...query, bucket_width: '1d' }))
    expect(first).toMatchObject({ object: 'page', has_more: true, next_page: expect.any(String) })
    expect(first.data).toHaveLength(7)
    expect(first.data[0]).toMatchObject({ object: 'bucket', start_time: midnight, end_time: midnight + day })
    expect(first.data.map(({ results }) => results.length)).toEqual([1, 0, 0, 0, 0, 0, 0])
    const second = asPage(await usage.costs({ ...query, page: first.next_page ?? '' }))
    expect(second).toMatchObject({ has_more: false, next_page: null })
    expect(second.data.map(({ start_time, results }) => [(start_time - midnight) / day, results.length])).toEqual([
      [7, 0],
      [8, 1],
    ])
    expect(asPage(await usage.costs({ ...query, limit: 180 })).data).toHaveLength(9)
    const admin = platform.as(platform.adminKey)
    const { data } = asPage(
      await (
        await admin.get(`/v1/organization/costs?start_time=${midnight}&limit=1&group_by=project_id,line_item`)
      ).json(),
    )
    expect(data).toHaveLength(1)
    const refused = [
      [usage.costs({ ...query, page: first.next_page ?? '', group_by: ['line_item'] }), 'page'],
      [usage.costs({ ...query, bucket_width: '1h' as '1d' }), 'bucket_width'],
      [usage.costs({ ...query, limit: 181 }), 'limit'],
      [usage.costs({ ...query, limit: 0 }), 'limit'],
      [usage.costs({ ...query, group_by: ['model' as 'line_item'] }), 'group_by[0]'],
      [usage.costs({ start_time: midnight, end_time: midnight - 1 }), 'end_time'],
      [usage.costs({} as typeof query), 'start_time'],
    ] as const
    for (const [asked, param] of refused) expect(await refusalOf(asked)).toMatchObject({ status: 400, param })
  })
})

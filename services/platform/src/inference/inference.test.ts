import type { Runtime } from '@atoll/models/runtime'
import { expect, it, vi } from 'vitest'
import type { ProjectCaller } from '../callers.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import type { Port } from './inference.ts'
import { sumUsage } from './usage/store.ts'

const runtimeWith = (...ports: Port[]): Runtime => ({
  ...Object.fromEntries(ports.map((port) => [port, { port }])),
  close: async () => undefined,
})

const config = {
  models: [
    { id: 'talker', runtime: 'all', serves: ['chat' as const], limits: { requestsPerMinute: 3, tokensPerMinute: 100 } },
    { id: 'writer', runtime: 'all', serves: ['completions' as const] },
    { id: 'vectors', runtime: 'all', serves: ['embeddings' as const] },
    { id: 'judge', runtime: 'all', serves: ['moderations' as const] },
    { id: 'lame', runtime: 'chat-only', serves: ['chat' as const, 'embeddings' as const] },
    { id: 'picture' },
  ],
  runtimes: {
    all: { kind: 'upstream' as const, model: 'x', replicas: ['http://127.0.0.1:1/v1'] },
    'chat-only': { kind: 'upstream' as const, model: 'x', replicas: ['http://127.0.0.1:1/v1'] },
  },
}
const runtimes = {
  all: runtimeWith('chat', 'text', 'embeddings', 'moderation'),
  'chat-only': runtimeWith('chat'),
}

const addFineTuned = (platform: TestPlatform, id: string, base: string): Promise<void> =>
  platform.kernel.db.transaction((tx) => platform.platform.models.addFineTuned(tx, platform.caller, id, base))

async function tokensLeft({ kernel, caller }: TestPlatform, least: number): Promise<void> {
  const bucket = { key: `${caller.projectId}/talker/tokens`, capacity: 100, periodMs: 60_000 }
  const { states } = await kernel.limits.take([{ bucket, amount: 0 }])
  expect(states[0]?.remaining).toBeGreaterThanOrEqual(least)
}

const refusal = (message: string | RegExp, status: number, fields: object = {}) =>
  expect.objectContaining({
    status,
    body: { error: expect.objectContaining({ message: expect.stringMatching(message), param: 'model', ...fields }) },
  })

describePlatformOnSqlite('a model', (start) => {
  it('is found by its public id, and by that of a model fine-tuned from it', async () => {
    const platform = await start({ config, runtimes })
    const { inference } = platform.platform
    await addFineTuned(platform, 'ft:talker:us::1', 'talker')
    for (const id of ['talker', 'ft:talker:us::1']) {
      expect(await inference.resolve(platform.caller, id, 'chat')).toEqual({ id, port: { port: 'chat' } })
    }
    await addFineTuned(platform, 'ft:gone:us::1', 'gone')
    const other = await platform.addProject('other')
    for (const [caller, id] of [
      [other.caller, 'ft:talker:us::1'],
      [platform.caller, 'unknown'],
      [platform.caller, 'ft:talker:us::2'],
      [platform.caller, 'ft:gone:us::1'],
    ] as [ProjectCaller, string][]) {
      const found = inference.resolve(caller, id, 'chat')
      await expect(found).rejects.toEqual(refusal(`The model '${id}' does not exist`, 404, { code: 'model_not_found' }))
    }
  })

  it('is refused where it does not belong, with advice', async () => {
    const platform = await start({ config, runtimes })
    const resolve = (id: string, port: Port) => platform.platform.inference.resolve(platform.caller, id, port)
    await expect(resolve('writer', 'chat')).rejects.toEqual(
      refusal(/^This is not a chat model and thus.*Did you mean to use v1\/completions\?$/, 404, { code: null }),
    )
    for (const [path, body] of [
      ['/v1/responses', { model: 'writer', input: 'Hello.' }],
      ['/v1/assistants', { model: 'writer' }],
    ] as const) {
      const { error } = await (await platform.post(path, body, { 'openai-beta': 'assistants=v2' })).json()
      expect(error.message).toMatch(
        new RegExp(`not supported in the ${path.slice(1)} endpoint. Did you mean to use v1/c`),
      )
    }
    await expect(resolve('picture', 'chat')).rejects.toEqual(refusal(/does not exist/, 404))
    await expect(resolve('talker', 'text')).rejects.toEqual(
      refusal(/^This is a chat model and not supported in the v1\/completions.*v1\/chat\/completions\?$/, 404),
    )
    await expect(resolve('talker', 'embeddings')).rejects.toEqual(
      refusal(/v1\/embeddings.*Use one of: vectors, lame/, 400),
    )
    await expect(resolve('talker', 'moderation')).rejects.toEqual(refusal(/v1\/moderations.*Use one of: judge/, 400))
    await expect(resolve('lame', 'embeddings')).rejects.toEqual(refusal(/v1\/embeddings/, 400))
  })
})

describePlatformOnSqlite('a metered call', (start) => {
  const call = { operation: 'chat' as const, tokens: 80 }
  const used = { model: 'small.gguf', input: 20, cachedInput: 12, output: 10 }
  const sums = async ({ kernel, platform, caller }: TestPlatform) => {
    await platform.inference.usage.flush()
    const { organizationId } = caller
    const span = { from: 0, to: 4_000_000_000, operations: ['chat'] }
    const groupBy = ['project_id', 'user_id', 'api_key_id', 'model', 'batch'] as const
    return sumUsage(kernel.db.queries, { organizationId, ...span, groupBy })
  }

  it("takes from its model's limits, and gives back what it did not use", async () => {
    const platform = await start({ config, runtimes })
    const { inference } = platform.platform
    const meter = (tokens: number) => inference.meter(platform.caller, { id: 'talker' }, { ...call, tokens })
    const first = await meter(80)
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit-requests': '3', 'x-ratelimit-limit-tokens': '100' })
    expect(first.headers['x-ratelimit-remaining-requests']).toBe('2')
    await expect(meter(60)).rejects.toMatchObject({ status: 429, body: { error: { type: 'tokens' } } })
    first.finish(used)
    first.finish(used)
    const second = await vi.waitFor(() => meter(60)) // given back in the background
    second.abandon()
    second.finish(used)
    await vi.waitFor(() => tokensLeft(platform, 69))
    await meter(1)
    await expect(meter(1)).rejects.toMatchObject({ status: 429, body: { error: { type: 'requests' } } })
    expect(await sums(platform)).toMatchObject([{ requests: 1, input_tokens: 20 }])
  })

  it('of a fine-tuned model counts against the model it was made from, and is written down by its own name', async () => {
    const platform = await start({ config, runtimes })
    const id = 'ft:talker:us::1'
    await addFineTuned(platform, id, 'talker')
    const metered = await platform.platform.inference.meter(platform.caller, { id }, call)
    expect(metered.headers['x-ratelimit-limit-tokens']).toBe('100')
    metered.finish(used)
    expect(await sums(platform)).toMatchObject([{ model: id }])
  })

  it('leaves one event with all that usage is counted by', async () => {
    const platform = await start({ config, runtimes })
    const { inference } = platform.platform
    const bot = await platform.addServiceAccountKey()
    const headers = { headers: { authorization: `Bearer ${bot}` } }
    const account = await platform.platform.identity.authenticate(headers, 'project')
    const person = await inference.meter(platform.caller, { id: 'writer' }, { ...call, operation: 'completions' })
    person.finish(used)
    const robot = await inference.meter(account as ProjectCaller, { id: 'talker' }, { ...call, batch: true })
    robot.finish({ model: 'bad\0name\ud800', input: 1.5, cachedInput: -1, output: Number.NaN })
    await inference.usage.flush()
    const rows = await platform.kernel.db.queries.selectFrom('usage_events').selectAll().orderBy('id').execute()
    const { organizationId: organization_id, projectId: project_id, keyId: api_key_id, actor } = platform.caller
    const common = { organization_id, project_id, requests: 1 }
    expect(rows).toMatchObject([
      {
        ...common,
        ...{ user_id: actor.id, service_account_id: null, api_key_id, operation: 'completions', model: 'writer' },
        ...{ answered_by: 'small.gguf', input_tokens: 20, cached_input_tokens: 12, output_tokens: 10, batch: 0 },
      },
      {
        ...common,
        ...{ user_id: null, service_account_id: account?.actor.id, api_key_id: account?.keyId, operation: 'chat' },
        ...{ answered_by: 'badname\ufffd', input_tokens: 1, cached_input_tokens: 0, output_tokens: 0, batch: 1 },
      },
    ])
    expect(rows[0]?.created_at).toBeGreaterThan(1_700_000_000)
  })

  it("takes its request from the model's limits alone, other operations from the project's", async () => {
    const platform = await start({ config: { ...config, rateLimits: { requestsPerMinute: 2 } }, runtimes })
    const { service, inference } = platform.platform
    const admit = async (method: string, path: string) =>
      service.admit?.(platform.caller, { method, path } as (typeof service.routes)[number])
    for (const path of ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/moderations']) {
      expect(await admit('POST', path)).toEqual({})
    }
    for (let n = 0; n < 3; n++)
      (await inference.meter(platform.caller, { id: 'talker' }, { ...call, tokens: 1 })).abandon()
    expect(await admit('GET', '/v1/chat/completions')).toMatchObject({ 'x-ratelimit-remaining-requests': '1' })
  })
})

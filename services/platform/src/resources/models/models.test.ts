import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatform, type TestPlatform } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'

const runtime = 'builtin-chat'
const config = {
  models: [
    { id: 'small-1', ownedBy: 'us', created: 1_700_000_000, runtime },
    { id: 'small-1-2026-01-01', runtime },
  ],
}

/** What programs of December 2024 name for each operation. */
const decemberIds = [
  ...['o1', 'o1-2024-12-17', 'o1-preview', 'o1-preview-2024-09-12', 'o1-mini', 'o1-mini-2024-09-12'],
  ...['gpt-4o', 'gpt-4o-2024-11-20', 'gpt-4o-2024-08-06', 'gpt-4o-2024-05-13', 'chatgpt-4o-latest'],
  ...['gpt-4o-mini', 'gpt-4o-mini-2024-07-18', 'gpt-4o-audio-preview', 'gpt-4o-audio-preview-2024-10-01'],
  ...['gpt-4o-audio-preview-2024-12-17', 'gpt-4o-mini-audio-preview', 'gpt-4o-mini-audio-preview-2024-12-17'],
  ...['gpt-4-turbo', 'gpt-4-turbo-2024-04-09', 'gpt-4-turbo-preview', 'gpt-4-0125-preview', 'gpt-4-1106-preview'],
  ...['gpt-4-vision-preview', 'gpt-4-1106-vision-preview', 'gpt-4', 'gpt-4-0314', 'gpt-4-0613', 'gpt-4-32k'],
  ...['gpt-4-32k-0314', 'gpt-4-32k-0613', 'gpt-3.5-turbo', 'gpt-3.5-turbo-16k', 'gpt-3.5-turbo-0301'],
  ...['gpt-3.5-turbo-0613', 'gpt-3.5-turbo-1106', 'gpt-3.5-turbo-0125', 'gpt-3.5-turbo-16k-0613'],
  ...['gpt-3.5-turbo-instruct', 'gpt-3.5-turbo-instruct-0914', 'davinci-002', 'babbage-002'],
  ...['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
  ...['omni-moderation-latest', 'omni-moderation-2024-09-26', 'text-moderation-latest', 'text-moderation-stable'],
  ...['dall-e-2', 'dall-e-3'],
  ...['text-moderation-007', 'whisper-1', 'tts-1', 'tts-1-hd'],
  ...['gpt-4o-realtime-preview', 'gpt-4o-realtime-preview-2024-10-01', 'gpt-4o-realtime-preview-2024-12-17'],
  ...['gpt-4o-mini-realtime-preview', 'gpt-4o-mini-realtime-preview-2024-12-17'],
]

/** What later clients of realtime sessions name by themselves. */
const laterIds = [
  ...['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano', 'gpt-realtime', 'gpt-realtime-2.1'],
  ...['gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-4o-mini-tts'],
]

const addFineTuned = (platform: TestPlatform, id: string): Promise<void> =>
  platform.kernel.db.transaction((tx) => platform.platform.models.addFineTuned(tx, platform.caller, id, 'small-1'))

describePlatform('models', (start) => {
  it('INF-115 INF-117 INF-006 lists the configured models', async () => {
    const platform = await start({ config })
    const list = await (await platform.get('/v1/models')).json()
    expect(list).toEqual({
      object: 'list',
      data: [
        { id: 'small-1', object: 'model', created: 1_700_000_000, owned_by: 'us' },
        { id: 'small-1-2026-01-01', object: 'model', created: 0, owned_by: 'atoll' },
      ],
    })
  })

  it('INF-116 retrieves one model, and says which does not exist', async () => {
    const platform = await start({ config })
    expect(await (await platform.get('/v1/models/small-1')).json()).toMatchObject({ id: 'small-1', object: 'model' })
    const missing = await platform.get('/v1/models/large-9')
    expect(missing.status).toBe(404)
    expect(await errorOf(missing)).toMatchObject({ code: 'model_not_found', param: 'model' })
  })

  it('INF-118 deletes a fine-tuned model for an owner of the organization', async () => {
    const platform = await start({ config })
    const id = 'ft:small-1:personal:news:abc123'
    await addFineTuned(platform, id)
    expect(await (await platform.get(`/v1/models/${id}`)).json()).toMatchObject({ id, object: 'model' })
    const response = await platform.delete(`/v1/models/${encodeURIComponent(id)}`)
    expect(await response.json()).toEqual({ id, object: 'model', deleted: true })
    expect((await platform.get(`/v1/models/${id}`)).status).toBe(404)
    expect((await platform.delete(`/v1/models/${id}`)).status).toBe(404)
  })

  it('INF-119 refuses to delete a base model', async () => {
    const platform = await start({ config })
    const response = await platform.delete('/v1/models/small-1')
    expect(response.status).toBe(403)
    expect((await errorOf(response)).message).toContain('fine-tuned')
    expect((await platform.get('/v1/models/small-1')).status).toBe(200)
  })

  it('INF-120 refuses to delete for anyone but an owner', async () => {
    const platform = await start({ config })
    const id = 'ft:small-1:personal:news:abc123'
    await addFineTuned(platform, id)
    for (const apiKey of [await platform.addServiceAccountKey(), await platform.addMemberKey()]) {
      const response = await platform.as(apiKey).delete(`/v1/models/${id}`)
      expect(response.status).toBe(403)
      expect(await errorOf(response)).toMatchObject({ code: 'insufficient_permissions' })
    }
    expect((await platform.get(`/v1/models/${id}`)).status).toBe(200)
  })

  it("keeps a project's fine-tuned models out of other projects", async () => {
    const platform = await start({ config })
    const id = 'ft:small-1:personal:news:abc123'
    await addFineTuned(platform, id)
    const other = await platform.addProject('other')
    expect((await other.get(`/v1/models/${id}`)).status).toBe(404)
    expect((await other.delete(`/v1/models/${id}`)).status).toBe(404)
    expect((await (await other.get('/v1/models')).json()).data).toHaveLength(2)
  })

  it('lists the ids of December 2024, and nothing that it does not serve', async () => {
    const platform = await start({ withoutJobs: true })
    const listed = (await (await platform.get('/v1/models')).json()).data.map(({ id }) => id)
    expect([...listed].sort()).toEqual([...decemberIds, ...laterIds, 'atoll-chat'].sort())
    const { inference } = platform.platform
    for (const id of listed) {
      const ports = (['chat', 'text', 'embeddings', 'moderation', 'transcription', 'speech', 'drawing'] as const).map(
        (port) =>
          inference.resolve(platform.caller, id, port).then(
            () => port,
            () => undefined,
          ),
      )
      const served = (await Promise.all(ports)).filter((port) => port !== undefined)
      expect([id, served]).toEqual([id, expect.arrayContaining([expect.any(String)])])
    }
  })

  it('neither lists nor shows a model that nothing runs, nor what was made from it', async () => {
    const platform = await start({ config: { models: [...config.models, { id: 'picture' }] } })
    const made = 'ft:picture:personal:news:abc123'
    await platform.kernel.db.transaction((tx) =>
      platform.platform.models.addFineTuned(tx, platform.caller, made, 'picture'),
    )
    expect((await (await platform.get('/v1/models')).json()).data.map(({ id }) => id)).toEqual(
      config.models.map(({ id }) => id),
    )
    for (const id of ['picture', made]) expect((await platform.get(`/v1/models/${id}`)).status).toBe(404)
    expect((await platform.delete(`/v1/models/${made}`)).status).toBe(200)
  })

  it('works with the openai clients 4.77.0 and 6.49.0', async () => {
    const platform = await start()
    const options = { apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 }
    for (const client of [new OpenAI4(options), new OpenAI6(options) as unknown as OpenAI4]) {
      const ids: string[] = []
      for await (const model of client.models.list()) ids.push(model.id)
      expect(ids).toContain('gpt-4o-mini')
      expect(await client.models.retrieve('gpt-4o-mini')).toMatchObject({ object: 'model' })
    }
  })
})

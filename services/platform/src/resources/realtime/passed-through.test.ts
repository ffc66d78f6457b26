// Sessions that a server behind this one holds. The one behind is a platform itself, with scripted models.
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { dial, RealtimeClient, typesOf } from './testing/realtime-client.ts'

const answer = { pieces: ['The sea ', 'is calm.'], promptTokens: 30, completionTokens: 7 }

const config = (behind: Pick<TestPlatform, 'url' | 'apiKey'>, limits: object = {}) => ({
  runtimes: {
    talks: {
      kind: 'upstream' as const,
      replicas: [`${behind.url}/v1`],
      model: 'gpt-4o-realtime-preview',
      apiKey: behind.apiKey,
      realtime: true,
      retries: 0,
    },
  },
  models: [{ id: 'talker', runtime: 'talks', limits }],
})

const chatUsage = async ({ kernel, platform }: TestPlatform) => {
  await platform.inference.usage.flush()
  const events = kernel.db.queries.selectFrom('usage_events').select(['model', 'input_tokens', 'output_tokens'])
  return events.where('operation', '=', 'chat').execute()
}

describePlatformOnSqlite('a session held by a server behind this one', (start) => {
  it('goes both ways as it is, under the public id, and is counted here', async () => {
    const behind = await start({ runtimes: new ScriptedChatModel([answer]).runtimes })
    const platform = await start({ config: config(behind) })
    for (const dialect of [undefined, 'later'] as const) {
      const client = new RealtimeClient(dial(platform, { model: 'talker', ...(dialect ? { dialect } : {}) }))
      expect((await client.next('session.created')).session.model).toBe('talker')
      const text = dialect === 'later' ? { type: 'realtime', output_modalities: ['text'] } : { modalities: ['text'] }
      client.update({ ...text, model: 'talker' })
      expect((await client.last('session.updated')).session.model).toBe('talker')
      client.say('How is the sea?')
      client.send({ type: 'response.create' })
      const events = await client.until('response.done')
      expect(typesOf(events).filter((type) => type === 'rate_limits.updated')).toHaveLength(1)
      expect(JSON.stringify(events.at(-1))).toContain('The sea is calm.')
      client.send({ type: 'response.cancel', event_id: 'mine' })
      expect((await client.next('error')).error).toMatchObject({ code: 'response_cancel_not_active', event_id: 'mine' })
      await client.close()
    }
    const used = { model: 'talker', input_tokens: 30, output_tokens: 7 }
    expect(await chatUsage(platform)).toEqual([used, used])
    await expect.poll(() => platform.platform.inference.runtimes.loads()[0]?.running).toBe(0)
  })

  it('is within the limits of the project, and goes on when they are reached', async () => {
    const behind = await start({ runtimes: new ScriptedChatModel([answer]).runtimes })
    const platform = await start({ config: config(behind, { requestsPerMinute: 1 }) })
    const client = new RealtimeClient(dial(platform, { model: 'talker' }))
    await client.next('session.created')
    client.update({ modalities: ['text'] })
    await client.last('session.updated')
    client.send({ type: 'response.create' })
    await client.until('response.done')
    client.send({ type: 'response.create', event_id: 'second' })
    expect((await client.next('error')).error).toMatchObject({ code: 'rate_limit_exceeded', event_id: 'second' })
    client.say('Still there?')
    await client.next('conversation.item.created')
    client.socket.send(Buffer.from('binary'))
    expect((await client.next('error')).error.code).toBe('invalid_event')
    await client.close()
    expect(await chatUsage(behind)).toHaveLength(1)
  })

  it('has the settings of the short-lived key that it was opened with', async () => {
    const behind = await start({ runtimes: new ScriptedChatModel([answer]).runtimes })
    const platform = await start({ config: config(behind) })
    const wish = { model: 'talker', instructions: 'Speak Latin.', modalities: ['text'] }
    const made = (await (await platform.post('/v1/realtime/sessions', wish)).json()) as unknown as {
      client_secret: { value: string }
    }
    const client = new RealtimeClient(dial(platform, { model: 'talker', key: made.client_secret.value }))
    await client.next('session.created')
    await client.next('conversation.created')
    client.update({ temperature: 0.7 })
    expect((await client.next('session.updated')).session).toMatchObject({ ...wish, temperature: 0.7 })
    await client.close()
  })

  it('tells what is wrong when the server refuses, is away or leaves', async () => {
    const behind = await start({ runtimes: new ScriptedChatModel([answer]).runtimes })
    const errorOf = async (platform: TestPlatform) => {
      const client = new RealtimeClient(dial(platform, { model: 'talker' }))
      const { error } = await client.next('error')
      await client.close()
      return error
    }
    const refused = await start({ config: config({ url: behind.url, apiKey: 'sk-wrong' }) })
    expect(await errorOf(refused)).toMatchObject({
      code: 'upstream_error',
      message: expect.stringMatching(/credentials/),
    })
    const away = await start({ config: config({ url: 'http://127.0.0.1:9', apiKey: 'sk' }) })
    expect(await errorOf(away)).toMatchObject({ code: 'upstream_error' })
    const platform = await start({ config: config(behind) })
    const client = new RealtimeClient(dial(platform, { model: 'talker' }))
    await client.next('session.created')
    const closed = new Promise((resolve) => client.socket.on('close', resolve))
    await behind.close()
    expect(await closed).toBe(1011)
  })
})

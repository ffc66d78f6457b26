import { ManualClock, systemClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { describePlatform } from '../../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import { dial, RealtimeClient, refusal } from '../testing/realtime-client.ts'

const { runtimes } = new ScriptedChatModel([['Hi.']])

interface Secret {
  value: string
  expires_at: number
}
interface Created {
  client_secret: Secret
}

describePlatform('short-lived client keys', (start) => {
  it('open sessions with the settings they were made with, until they expire or their key ends', async () => {
    const clock = new ManualClock(systemClock.now())
    const platform = await start({ runtimes, clock })
    const wish = {
      model: 'gpt-4o-realtime-preview',
      instructions: 'Speak Latin.',
      voice: 'verse',
      modalities: ['text'],
    }
    const created = (await (await platform.post('/v1/realtime/sessions', wish)).json()) as unknown as Created
    expect(created).toMatchObject({ object: 'realtime.session', ...wish, client_secret: { value: expect.any(String) } })
    const { value, expires_at } = created.client_secret
    expect(value).toMatch(/^ek_\w{48}$/)
    expect(expires_at).toBe(Math.floor(clock.now() / 1000) + 60)
    const client = await RealtimeClient.connect(platform, { key: value })
    expect(client.events[0]?.session).toMatchObject(wish)
    const rows = await platform.kernel.db.queries.selectFrom('realtime_client_keys').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(value)
    expect(await refusal(dial(platform, { key: value, model: 'gpt-4o' }))).toEqual({
      status: 400,
      code: 'invalid_value',
    })
    expect((await platform.as(value).get('/v1/models')).status).toBe(401)
    clock.advanceSeconds(61)
    expect(await refusal(dial(platform, { key: value }))).toEqual({ status: 401, code: 'invalid_api_key' })
    client.send({ type: 'response.create' })
    expect((await client.last('response.done')).response.status).toBe('completed')
    await client.close()
    const secret = {
      session: { type: 'realtime', audio: { output: { voice: 'sage' } } },
      expires_after: { seconds: 20 },
    }
    const later = (await (await platform.post('/v1/realtime/client_secrets', secret)).json()) as unknown as Secret
    expect(later).toMatchObject({
      value: expect.stringMatching(/^ek_/),
      expires_at: Math.floor(clock.now() / 1000) + 20,
      session: { type: 'realtime', audio: { output: { voice: 'sage' } }, output_modalities: ['audio'] },
    })
    const { organizationId, projectId, keyId } = platform.caller
    await (await RealtimeClient.connect(platform, { key: later.value, dialect: 'later' })).close()
    await platform.platform.identity.projectKeys.remove(organizationId, projectId, keyId)
    expect(await refusal(dial(platform, { key: later.value }))).toEqual({ status: 401, code: 'invalid_api_key' })
  })
})

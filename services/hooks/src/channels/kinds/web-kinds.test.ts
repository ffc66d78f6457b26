import { afterEach, describe, expect, it } from 'vitest'
import type { Channel } from '../channel.ts'
import { ChannelsConfig } from '../config.ts'
import { createChannels } from '../create-channels.ts'
import { localOnly } from '../testing/channel-kit.ts'
import { type StandIn, startStandIn } from '../testing/web-stand-in.ts'

const open: StandIn[] = []
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close()
})

async function startWith(answer?: Parameters<typeof startStandIn>[0]): Promise<StandIn> {
  const standIn = await startStandIn(answer)
  open.push(standIn)
  return standIn
}

function channelOf(kind: 'matrix' | 'slack' | 'discord' | 'telegram', url: string): Channel {
  const settings = kind === 'matrix' ? { homeserver: url, accessToken: 'secret-token' } : { url, token: 'secret-token' }
  return createChannels(ChannelsConfig.parse({ ...localOnly, [kind]: settings })).get(kind) as Channel
}

const never = new AbortController().signal
const part = (to: string, text: string) => ({ to, text, id: 'out_1-0' })

describe('Matrix', () => {
  it('gets a notice under the id of the message, in a room given by id or by name (HOOK-056)', async () => {
    const standIn = await startWith(({ method }) => (method === 'GET' ? { room_id: '!r:m.org' } : { event_id: '$1' }))
    const matrix = channelOf('matrix', standIn.url)
    await matrix.send(part('!room:m.org', 'hello'), never)
    await matrix.send(part('#ops:m.org', 'hello'), never)
    expect(standIn.heard.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /_matrix/client/v3/rooms/!room:m.org/send/m.room.message/out_1-0',
      'GET /_matrix/client/v3/directory/room/#ops:m.org',
      'PUT /_matrix/client/v3/rooms/!r:m.org/send/m.room.message/out_1-0',
    ])
    expect(standIn.heard[0]).toMatchObject({
      authorization: 'Bearer secret-token',
      body: { msgtype: 'm.notice', body: 'hello' },
    })
    standIn.misdeeds.push({ status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 1234 } })
    await expect(matrix.send(part('!room:m.org', 'x'), never)).rejects.toMatchObject({ retryAfterMs: 1234 })
    expect(matrix.problemOf('room')).toMatch(/!id:server/)
  })
})

describe('Slack', () => {
  it('gets plain text that can call nobody, and its refusals are understood though they come with 200', async () => {
    const standIn = await startWith()
    const slack = channelOf('slack', standIn.url)
    await slack.send(part('C123', 'look <!channel> & <@U1>'), never)
    expect(standIn.heard[0]).toMatchObject({
      path: '/api/chat.postMessage',
      body: { channel: 'C123', text: 'look &lt;!channel&gt; &amp; &lt;@U1&gt;', link_names: false, mrkdwn: false },
    })
    expect(standIn.heard[0]?.body.client_msg_id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    standIn.misdeeds.push({ status: 200, body: { ok: false, error: 'channel_not_found' } })
    const refused = slack.send(part('C1', 'x'), never)
    await expect(refused).rejects.toMatchObject({ message: 'Slack refused it: channel_not_found', forGood: true })
    standIn.misdeeds.push({ status: 200, body: { ok: false, error: 'internal_error' } })
    await expect(slack.send(part('C1', 'x'), never)).rejects.toMatchObject({ forGood: false })
    standIn.misdeeds.push({ status: 429, headers: { 'retry-after': '30' } })
    await expect(slack.send(part('C1', 'x'), never)).rejects.toMatchObject({ retryAfterMs: 30_000 })
  })
})

describe('Discord', () => {
  it('gets a message that mentions nobody and counts once (HOOK-056)', async () => {
    const standIn = await startWith()
    const discord = channelOf('discord', standIn.url)
    await discord.send(part('99', 'hello @everyone'), never)
    expect(standIn.heard[0]).toMatchObject({
      path: '/api/v10/channels/99/messages',
      authorization: 'Bot secret-token',
      body: { content: 'hello @everyone', enforce_nonce: true, allowed_mentions: { parse: [] } },
    })
    expect(discord.problemOf('../../x')).toBeDefined()
  })
})

describe('Telegram', () => {
  it('gets a message, and its token stands in no error', async () => {
    const standIn = await startWith()
    const telegram = channelOf('telegram', standIn.url)
    await telegram.send(part('-1001', 'hello'), never)
    expect(standIn.heard[0]).toMatchObject({
      path: '/botsecret-token/sendMessage',
      body: { chat_id: '-1001', text: 'hello' },
    })
    standIn.misdeeds.push({ status: 400, body: { ok: false, description: 'Bad Request: chat not found' } }, 'drop')
    await expect(telegram.send(part('1', 'x'), never)).rejects.toMatchObject({
      message: 'Telegram answered 400: Bad Request: chat not found',
      forGood: true,
    })
    const cut = await telegram.send(part('1', 'x'), never).catch((error: unknown) => error)
    expect(cut).toMatchObject({ uncertain: true })
    expect(String(cut)).not.toContain('secret-token')
  })
})

describe('what the other side answers', () => {
  it('is not followed elsewhere, not read without end, and not waited for without end', async () => {
    const standIn = await startWith()
    const discord = channelOf('discord', standIn.url)
    standIn.misdeeds.push({ status: 302, headers: { location: 'http://169.254.169.254/' } })
    await expect(discord.send(part('1', 'x'), never)).rejects.toMatchObject({ forGood: true })
    standIn.misdeeds.push({ status: 200, body: 'x'.repeat(300_000) })
    await expect(discord.send(part('1', 'x'), never)).rejects.toThrow(/too long/)
    standIn.misdeeds.push('hang')
    await expect(discord.send(part('1', 'x'), AbortSignal.timeout(200))).rejects.toMatchObject({ uncertain: true })
    expect(standIn.heard).toHaveLength(3)
  })
})

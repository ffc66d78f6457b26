import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { afterEach, describe, expect, it } from 'vitest'
import type { WorkingOutbox } from './outbox.ts'
import { hasty, outboxMigrations, outboxOn } from './testing/channel-kit.ts'
import { type StandIn, startStandIn } from './testing/web-stand-in.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanups.splice(0).reverse()) await step()
})

async function standIn(answer?: Parameters<typeof startStandIn>[0]): Promise<StandIn> {
  const started = await startStandIn(answer)
  cleanups.push(() => started.close())
  return started
}

const stateOf = async (outbox: WorkingOutbox, id: string) => (await outbox.get(id))?.state
const soon = { timeout: 15_000 }

describeBothDatabases('the outbox', (open) => {
  const start = async (config: Parameters<typeof outboxOn>[1], settings = hasty) => {
    const outbox = outboxOn(await open(outboxMigrations), config, settings)
    cleanups.push(() => outbox.stop(0))
    await outbox.start()
    return outbox
  }

  it('sends what was committed, once, in the order it came for each recipient (HOOK-051)', async () => {
    const discord = await standIn()
    const outbox = await start({ discord: { url: discord.url, token: 't' } })
    const ids: string[] = []
    for (let n = 0; n < 12; n++) {
      ids.push(await outbox.send({ channel: 'discord', to: String(n % 2), text: `message ${n}` }))
    }
    await expect.poll(async () => (await outbox.counts()).sent, soon).toBe(12)
    for (const to of ['0', '1']) {
      const texts = discord.heard.filter(({ path }) => path.includes(`/${to}/`)).map(({ body }) => body.content)
      expect(texts).toEqual(Array.from({ length: 6 }, (_, n) => `message ${2 * n + Number(to)}`))
    }
    expect(await outbox.get(ids[0] as string)).toMatchObject({ state: 'sent', attempts: 1, last_error: null })
  })

  it('has one message for what is added twice', async () => {
    const discord = await standIn()
    const outbox = await start({ discord: { url: discord.url, token: 't' } })
    const message = { channel: 'discord' as const, to: '1', text: 'hello', dedupe: 'run-1' }
    expect(await outbox.send(message)).toBe(await outbox.send({ ...message, text: 'other' }))
    await expect.poll(async () => (await outbox.counts()).sent, soon).toBe(1)
    expect(discord.heard).toHaveLength(1)
  })

  it('tries again after failures, with the same id, and keeps the order meanwhile', async () => {
    const discord = await standIn()
    discord.misdeeds.push({ status: 500 }, 'drop', 'half an answer', { status: 503 })
    const outbox = await start({ discord: { url: discord.url, token: 't' } })
    await outbox.send({ channel: 'discord', to: '1', text: 'first' })
    await outbox.send({ channel: 'discord', to: '1', text: 'second' })
    await expect.poll(async () => (await outbox.counts()).sent, soon).toBe(2)
    expect(discord.heard.map(({ body }) => body.content)).toEqual([
      'first',
      'first',
      'first',
      'first',
      'first',
      'second',
    ])
    expect(new Set(discord.heard.slice(0, 5).map(({ body }) => body.nonce)).size).toBe(1)
  })

  it('gives up after the last attempt, says why, and tries again when asked to', async () => {
    const discord = await standIn()
    discord.misdeeds.push(...Array.from({ length: 5 }, () => ({ status: 502 })))
    const outbox = await start({ discord: { url: discord.url, token: 't' } })
    const id = await outbox.send({ channel: 'discord', to: '1', text: 'x' })
    await expect.poll(() => stateOf(outbox, id), soon).toBe('dead')
    expect(await outbox.get(id)).toMatchObject({ attempts: 5, last_error: 'Discord answered 502' })
    expect(await outbox.list({ state: 'dead', limit: 10 })).toMatchObject([{ id }])
    expect(await outbox.retryNow(id)).toBe(true)
    await expect.poll(() => stateOf(outbox, id), soon).toBe('sent')
    expect(await outbox.retryNow(id)).toBe(false)
  })

  it('gives up at once on what will never work', async () => {
    const discord = await standIn()
    discord.misdeeds.push({ status: 403, body: { message: 'Missing Access' } })
    const outbox = await start({ discord: { url: discord.url, token: 't' } })
    const id = await outbox.send({ channel: 'discord', to: '1', text: 'x' })
    const elsewhere = await outbox.send({ channel: 'slack', to: 'C1', text: 'x' })
    const nobody = await outbox.send({ channel: 'discord', to: 'not a number', text: 'x' })
    await expect.poll(async () => (await outbox.counts()).dead, soon).toBe(3)
    expect((await outbox.get(id))?.last_error).toBe('Discord answered 403: Missing Access')
    expect((await outbox.get(elsewhere))?.last_error).toBe('channels.slack is not configured.')
    expect((await outbox.get(nobody))?.last_error).toMatch(/number of a channel/)
    expect(discord.heard).toHaveLength(1)
  })

  it('leaves a channel alone for as long as it asks, and does not count that as a failure', async () => {
    const discord = await standIn()
    const busy = { status: 429, body: { retry_after: 0.3 } }
    discord.misdeeds.push(...Array.from({ length: 6 }, () => busy))
    const outbox = await start({ discord: { url: discord.url, token: 't' } }, { ...hasty, pausesMs: [20] })
    const id = await outbox.send({ channel: 'discord', to: '1', text: 'x' })
    const began = Date.now()
    await expect.poll(() => stateOf(outbox, id), { timeout: 20_000 }).toBe('sent')
    expect(Date.now() - began).toBeGreaterThan(6 * 300 - 100)
    expect(discord.heard).toHaveLength(7)
  })

  it('goes on with a long message where it stopped', async () => {
    const discord = await standIn()
    const outbox = await start({ discord: { url: discord.url, token: 't' } })
    discord.misdeeds.push({ status: 200 }, { status: 500 })
    const words = Array.from({ length: 900 }, (_, n) => `word${n}`).join(' ')
    await outbox.send({ channel: 'discord', to: '1', text: words })
    await expect.poll(async () => (await outbox.counts()).sent, soon).toBe(1)
    const texts = discord.heard.map(({ body }) => String(body.content))
    expect(texts.every((text) => text.length <= 2000)).toBe(true)
    expect(texts[1]).toBe(texts[2])
    expect([texts[0], ...texts.slice(2)].join(' ')).toBe(words)
  })

  it('keeps a message on its node while it is being sent, however long that takes', async () => {
    const heard: string[] = []
    const slow = createServer((request, response) => {
      heard.push(request.url ?? '')
      setTimeout(() => response.end('{"ok":true}'), 2_500)
    }).listen(0, '127.0.0.1')
    cleanups.push(async () => void slow.close())
    await once(slow, 'listening')
    const config = { discord: { url: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`, token: 't' } }
    const db = await open(outboxMigrations)
    const nodes = [
      outboxOn(db, config, { ...hasty, leaseMs: 1_000 }),
      outboxOn(db, config, { ...hasty, leaseMs: 1_000 }),
    ]
    for (const node of nodes) {
      cleanups.push(() => node.stop(0))
      await node.start()
    }
    const id = await nodes[0]!.send({ channel: 'discord', to: '1', text: 'x' })
    await expect.poll(() => stateOf(nodes[0]!, id), soon).toBe('sent')
    expect(await nodes[0]!.get(id)).toMatchObject({ attempts: 1 })
    expect(heard).toHaveLength(1)
  })

  it('never sends twice what a channel without memory may have got, and says so', async () => {
    const telegram = await standIn()
    telegram.misdeeds.push('drop')
    const outbox = await start({ telegram: { url: telegram.url, token: '12:ab' } })
    const id = await outbox.send({ channel: 'telegram', to: '7', text: 'x' })
    await expect.poll(() => stateOf(outbox, id), soon).toBe('dead')
    expect((await outbox.get(id))?.last_error).toMatch(/may have arrived/)
    expect((await outbox.get(id))?.last_error).not.toContain('12:ab')
    expect(telegram.heard).toHaveLength(1)
    telegram.misdeeds.push({ status: 429, body: { parameters: { retry_after: 0.1 } } })
    const other = await outbox.send({ channel: 'telegram', to: '7', text: 'y' })
    await expect.poll(() => stateOf(outbox, other), soon).toBe('sent')
  })
})

describeBothDatabases('the recipient of a reply', (open) => {
  it('is the one named, else the last of the main session, else the configured one (HOOK-054, HOOK-057, HOOK-078)', async () => {
    const db = await open(outboxMigrations)
    const outbox = outboxOn(db, {})
    expect(await outbox.target({ channel: 'last' })).toBeUndefined()
    expect(await outbox.target({ channel: 'irc', to: '#ops' })).toEqual({ channel: 'irc', to: '#ops' })
    const usual = { channel: 'email' as const, to: 'ada@example.org' }
    const withDefault = outboxOn(db, { default: usual })
    expect(await withDefault.target({ channel: 'last' })).toEqual(usual)
    await db.transaction((tx) => outbox.remember(tx, { channel: 'irc', to: '#ops' }))
    await db.transaction((tx) => outbox.remember(tx, { channel: 'irc', to: '#dev' }))
    expect(await withDefault.target({ channel: 'last' })).toEqual({ channel: 'irc', to: '#dev' })
    expect(await withDefault.target({ channel: 'last', to: '#x' })).toEqual({ channel: 'irc', to: '#x' })
    expect(await withDefault.target({ channel: 'irc' })).toEqual({ channel: 'irc', to: '#dev' })
    expect(await withDefault.target({ channel: 'email' })).toEqual(usual)
    expect(await withDefault.target({ channel: 'mqtt' })).toBeUndefined()
  })
})

describe('the kinds of channels', () => {
  it('are eight, and those count that are configured (HOOK-055)', () => {
    const outbox = outboxOn({} as never, {
      slack: { token: 't' },
      matrix: { homeserver: 'https://m.example', accessToken: 't' },
    })
    const kinds = ['email', 'irc', 'mqtt', 'xmpp', 'matrix', 'slack', 'discord', 'telegram'] as const
    expect(kinds.filter((kind) => outbox.isConfigured(kind))).toEqual(['matrix', 'slack'])
  })
})

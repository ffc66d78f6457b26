// A gateway and its platform are killed while hooks come in, turns run and replies go out: each accepted hook ends once,
// each conversation has each turn once and in order, each reply is shown once.
import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { conversation, deliveriesOf, eventsOf, isQuiet, messagesOf } from './hooks/aftermath.ts'
import { KilledGateway, markIn } from './hooks/killed-gateway.ts'
import { type Item, planRound, sendAll } from './hooks/senders.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const rounds = isLong ? 100 : 1
const [conversations, turns] = isLong ? [20, 10] : [10, 3]
const killsPerRound = 2
const startMs = 60_000
/** A message that was on its way at the kill is looked at again when its lease of two minutes has run out. */
const quietMs = 300_000
const roundMs = quietMs + killsPerRound * startMs + 120_000

describe('a gateway that is killed', () => {
  let gateway: KilledGateway
  const sum = { hooks: 0, again: 0, resumed: 0, turns: 0, shown: 0, uncertain: 0 }
  beforeAll(async () => {
    gateway = await KilledGateway.open()
  }, startMs)
  afterAll(() => gateway?.close())

  it('answers while the run goes on, and ends it after timeoutSeconds (HOOK-018, HOOK-065, HOOK-069)', {
    timeout: startMs,
  }, async () => {
    const usual = gateway.model.script
    gateway.model.script = () => ({ after: new Promise(() => undefined), text: '' })
    const body = { message: 'Do #9999-0-0#', timeoutSeconds: 2, deliver: false, wakeMode: 'next-heartbeat' }
    expect(await gateway.send('agent', body, 'slow')).toBe(202)
    const states = async () => [...(await deliveriesOf(gateway, 9999, 10)).values()].flat().map(({ state }) => state)
    expect(await states()).toEqual([expect.stringMatching(/^(?:queued|running)$/)])
    await vi.waitFor(async () => expect(await states()).toEqual(['timed_out']), { timeout: 30_000, interval: 100 })
    gateway.model.script = usual
  })

  async function playRound(round: number): Promise<Item[]> {
    const plan = planRound(round, conversations, turns)
    const sending = sendAll(gateway, plan)
    for (let kill = 0; kill < killsPerRound; kill++) {
      // The first while they are sent, the others while turns run and replies go out.
      await setTimeout(kill === 0 ? randomInt(5, 400) : randomInt(50, 2_500))
      await gateway.killAndStart()
    }
    expect(await sending).toEqual([])
    await vi.waitFor(async () => expect(await isQuiet(gateway)).toBe(true), { timeout: quietMs, interval: 200 })
    return plan.flat()
  }

  async function checkDeliveries(round: number, items: readonly Item[]): Promise<Map<string, string>> {
    const found = await deliveriesOf(gateway, round, 2 * items.length)
    expect([...found.keys()].sort()).toEqual(items.map(({ mark }) => mark).sort())
    const threads = new Map<string, string>()
    for (const { mark, sessionKey, kind } of items) {
      const [delivery, ...more] = found.get(mark) ?? []
      expect(more, mark).toEqual([])
      expect(delivery, mark).toMatchObject({ state: 'succeeded' })
      sum.again += delivery?.duplicates ?? 0
      sum.resumed += (delivery?.attempts ?? 0) > 1 ? 1 : 0
      if (kind === 'wake') continue
      const thread = delivery?.outcome?.threadId ?? ''
      expect(threads.get(sessionKey) ?? thread, mark).toBe(thread)
      threads.set(sessionKey, thread)
    }
    sum.hooks += items.length
    return threads
  }

  async function checkConversations(items: readonly Item[], threads: ReadonlyMap<string, string>): Promise<void> {
    for (const [key, thread] of threads) {
      const wanted = items.filter(({ sessionKey, kind }) => sessionKey === key && kind !== 'wake')
      const said = wanted.flatMap(({ mark }) => [`user ${mark}`, `assistant ${mark}`])
      expect(await conversation(gateway, thread), key).toEqual(said)
      sum.turns += wanted.length
    }
  }

  async function checkEvents(round: number, items: readonly Item[]): Promise<void> {
    const wanted = items.map(({ mark, kind }) => {
      if (kind === 'wake') return `Wake ${mark}`
      return `Hook ${kind === 'mapped' ? 'Build' : 'Crash'}: Done with ${mark}`
    })
    expect((await eventsOf(gateway, round)).sort()).toEqual(wanted.sort())
  }

  /** The one service shows a number once, however often it is told; the other shows all that it is told. */
  async function checkReplies(round: number, items: readonly Item[]): Promise<void> {
    const rows = await messagesOf(gateway, round)
    const sent = items.filter(({ kind }) => kind !== 'wake' && kind !== 'silent')
    expect(rows.map(({ text }) => markIn(text)).sort()).toEqual(sent.map(({ mark }) => mark).sort())
    for (const { state, channel, text, error } of rows) {
      const told = gateway.chats.heard.filter(({ body }) => (body.content ?? body.text) === text)
      const shown = channel === 'discord' ? new Set(told.map(({ body }) => body.nonce)).size : told.length
      if (state === 'sent') expect(shown, text).toBe(1)
      else {
        expect({ state, channel, error }, text).toMatchObject({ state: 'dead', channel: 'telegram' })
        expect(error).toContain('may have arrived')
        expect(shown, text).toBeLessThanOrEqual(1)
        sum.uncertain += 1
      }
      sum.shown += shown
    }
  }

  it(`runs each accepted hook once, in order, and shows each reply once (${rounds} rounds of kill -9) (HOOK-017, HOOK-045, HOOK-067)`, {
    timeout: rounds * roundMs,
  }, async () => {
    for (let round = 0; round < rounds; round++) {
      const items = await playRound(round)
      const threads = await checkDeliveries(round, items)
      await checkConversations(items, threads)
      await checkEvents(round, items)
      await checkReplies(round, items)
    }
    console.info(
      `gateway, kill -9: ${gateway.kills} kills, ${sum.hooks} hooks accepted (${sum.again} of them sent again by their senders), ` +
        `${sum.turns} turns once and in order (${sum.resumed} taken up again), ${sum.shown} replies shown once, ${sum.uncertain} given up as uncertain, 0 lost, 0 doubled`,
    )
  })
})

// Kills the gateway at any instant: a heartbeat goes on where it was, and no event is lost or shown twice.
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '@atoll/kernel/db/open'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach, expect, it } from 'vitest'
import { type AgentKit, describeAgent, describeAgentNodes, type TestAgent, until } from '../testing/agent-kit.ts'
import { type KilledAgent, startToKill } from '../testing/killed-agent.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 30 : 2
const beyondLeaseMs = 40_000
const slow = { timeout: 90_000 + rounds * 20_000 }

const started: KilledAgent[] = []
afterEach(async () => {
  for (const agent of started.splice(0)) await agent.kill()
})

/** Once it was woken. */
async function toKill(kit: AgentKit, { target }: TestAgent, round: number, texts: readonly string[]) {
  const settings = { platform: kit.platform.address, clockAheadMs: round * beyondLeaseMs, texts }
  const agent = await startToKill({ target }, settings)
  started.push(agent)
  await agent.firstTold
  return agent
}

/** Whoever has this one does not wait for leases of those that were killed. */
const clockAhead = (aheadMs: number) => ({ now: () => Date.now() + aheadMs })

const prompts = ({ model }: AgentKit) => model.asked.map((_, index) => model.prompt(index))

/** As of a gateway that was killed again, before it took up its job: nobody is left to be told of it. */
async function addEventTo({ target }: TestAgent, text: string): Promise<void> {
  const db = await openDatabase(target, { log: silentLog })
  const [event] = await db.queries.selectFrom('hooks_events').selectAll().execute()
  const fresh = { id: 'evt_later', text, state: 'open' as const, consumed_by: null }
  await db.queries
    .insertInto('hooks_events')
    .values({ ...event!, ...fresh, position: event!.position + 1 })
    .execute()
  await db.close()
}

async function prepared(kit: AgentKit): Promise<TestAgent> {
  const first = await kit.start()
  await first.close()
  return first
}

describeAgent('a heartbeat whose gateway was killed', (kit) => {
  it('goes on in the same turn', slow, async () => {
    const first = await prepared(kit)
    const said = Promise.withResolvers<void>()
    kit.model.script = () => ({ after: said.promise, text: 'HEARTBEAT_OK' })
    const { kill } = await toKill(kit, first, 0, ['Carry on'])
    await until(() => expect(kit.model.asked).toHaveLength(1))
    await kill()
    const second = await kit.start({}, { after: first, clock: clockAhead(beyondLeaseMs) })
    said.resolve()
    expect(await second.beats(1)).toMatchObject({ outcome: 'ok-token' })
    expect(kit.model.asked).toHaveLength(1)
    expect((await second.agent.status()).openEvents).toBe(0)
  })

  it('looks at what came before it was taken up again, once its turn has ended', slow, async () => {
    const first = await prepared(kit)
    const said = Promise.withResolvers<void>()
    kit.model.script = () => ({ after: said.promise, text: 'HEARTBEAT_OK' })
    const { kill } = await toKill(kit, first, 0, ['Carry on'])
    await until(() => expect(kit.model.asked).toHaveLength(1))
    await kill()
    await addEventTo(first, 'And this')
    said.resolve()
    const second = await kit.start({}, { after: first, clock: clockAhead(beyondLeaseMs) })
    await until(async () => expect((await second.agent.status()).openEvents).toBe(0))
    expect(prompts(kit).map((prompt) => /Carry on|And this/.exec(prompt)?.[0])).toEqual(['Carry on', 'And this'])
  })

  it('shows every event that was accepted, and each in one turn', slow, async () => {
    const first = await prepared(kit)
    kit.model.script = () => ({ after: pause(30), text: 'HEARTBEAT_OK' })
    const accepted: string[] = []
    for (let round = 0; round < rounds; round++) {
      const texts = Array.from({ length: 200 }, (_, n) => `event ${n} of round ${round}.`)
      const { told, kill } = await toKill(kit, first, round, texts)
      await pause(Math.random() * 900)
      await kill()
      accepted.push(...told)
    }
    const last = await kit.start({}, { after: first, clock: clockAhead(rounds * beyondLeaseMs) })
    await expect.poll(async () => (await last.agent.status()).openEvents, { timeout: 60_000 }).toBe(0)
    const shown = prompts(kit)
    for (const text of accepted) expect(shown.filter((prompt) => prompt.includes(text))).toHaveLength(1)
    const beats = await last.agent.heartbeats(1000)
    expect(beats.filter(({ ended_at }) => ended_at === null)).toEqual([])
  })
})

describeAgentNodes('a heartbeat whose node was killed', (kit) => {
  it('is taken over by the other when its lease ends, and not before', slow, async () => {
    const first = await prepared(kit)
    const said = Promise.withResolvers<void>()
    kit.model.script = () => ({ after: said.promise, text: 'HEARTBEAT_OK' })
    const { kill } = await toKill(kit, first, 0, ['Carry on'])
    await until(() => expect(kit.model.asked).toHaveLength(1))
    const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs }
    const second = await kit.start({}, { after: first, clock })
    await second.wake('And this')
    await kill()
    said.resolve()
    await pause(3_000) // longer than it takes to look
    expect(kit.model.asked).toHaveLength(1)
    expect((await second.agent.status()).openEvents).toBe(2)
    clock.aheadMs = beyondLeaseMs
    await until(async () => expect((await second.agent.status()).openEvents).toBe(0))
    expect(prompts(kit).map((prompt) => /Carry on|And this/.exec(prompt)?.[0])).toEqual(['Carry on', 'And this'])
  })
})

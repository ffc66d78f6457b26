import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { describeAgentOnSqliteOrBoth, until } from '../testing/agent-kit.ts'

const ok = () => 'HEARTBEAT_OK'

describeAgentOnSqliteOrBoth('a heartbeat', (kit) => {
  it('comes at once for a wake, and shows its text wrapped (HOOK-014, HOOK-035, HOOK-036, HOOK-089)', async () => {
    const test = await kit.start()
    kit.model.script = ok
    await test.wake('The door is open')
    expect(await test.beats(1)).toMatchObject({ reason: 'now', outcome: 'ok-token', trust: 'external' })
    const prompt = kit.model.prompt()
    const [, marker] = /System: \[\d{4}-.+Z\] an event from outside:\n<<<EXTERNAL\w+ id="([0-9a-f]{16})">>>/.exec(
      prompt,
    )!
    expect(prompt).toContain(`Source: wake\n---\nThe door is open\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${marker}">>>`)
    expect(prompt.indexOf('SECURITY NOTICE')).toBeLessThan(prompt.indexOf('<<<EXTERNAL'))
    expect((await test.agent.events(1))[0]).toMatchObject({ state: 'consumed', consumed_by: (await test.beats(1)).id })
    expect(test.heard).toEqual([])
  })

  it('does not come at once for next-heartbeat; the next one shows it (HOOK-037)', async () => {
    const clock = new ManualClock()
    const test = await kit.start({ heartbeat: { every: '30m' } }, { clock })
    kit.model.script = ok
    await test.wake('Later will do', 'next-heartbeat')
    await test.agent.requestHeartbeat() // looks at everything that is due
    await test.beats(1)
    expect((await test.agent.heartbeats(5)).map(({ reason }) => reason)).toEqual(['asked'])
    await test.wake('And this', 'next-heartbeat')
    clock.advanceSeconds(31 * 60)
    expect(await test.beats(2)).toMatchObject({ reason: 'interval', outcome: 'ok-token' })
    expect(kit.model.prompt()).toContain('And this')
    expect(kit.model.prompt()).not.toContain('Later will do')
  })

  it('is one for several events, which are all shown, also when they say the same', async () => {
    const test = await kit.start()
    kit.model.script = ok
    await Promise.all(['same', 'same', 'third'].map((text) => test.wake(text)))
    await until(async () => expect((await test.agent.status()).openEvents).toBe(0))
    expect(
      kit.model.asked
        .map((_, index) => kit.model.prompt(index))
        .join('\n')
        .match(/\n(same|third)\n/g),
    ).toHaveLength(3)
  })

  it('shows many events in portions, and loses none', async () => {
    const test = await kit.start()
    kit.model.script = ok
    const texts = Array.from({ length: 120 }, (_, index) => `event number ${index}.`)
    const wake = { mode: 'next-heartbeat', trust: 'external', source: 'wake' } as const
    const events = texts.map((text) => ({ text, ...wake }))
    await test.kernel.db.transaction((tx) => test.agent.addEvents(tx, events))
    await test.agent.requestHeartbeat()
    await until(async () => expect((await test.agent.status()).openEvents).toBe(0))
    const prompts = kit.model.asked.map((_, index) => kit.model.prompt(index))
    expect(prompts.map((prompt) => prompt.match(/event number/g)?.length)).toEqual([50, 50, 20])
    for (const text of texts) expect(prompts.filter((prompt) => prompt.includes(text))).toHaveLength(1)
  })

  it('delivers what needs attention to the last recipient, the same text once a day', async () => {
    const clock = new ManualClock(Date.now())
    const test = await kit.start({}, { clock })
    kit.model.script = () => 'HEARTBEAT_OK\nThe disk is full. '.padEnd(400, '!')
    await test.wake('disk')
    expect(await test.beats(1)).toMatchObject({ outcome: 'sent', outbox_id: expect.stringMatching(/^out_/) })
    await until(() => expect(test.heard).toEqual([{ to: '1000', text: expect.stringMatching(/^The disk is full/) }]))
    await test.wake('disk')
    expect(await test.beats(2)).toMatchObject({ outcome: 'skipped', detail: 'duplicate' })
    clock.advanceSeconds(25 * 3600)
    await test.wake('disk')
    expect(await test.beats(3)).toMatchObject({ outcome: 'sent' })
  })

  it('asks the model nothing when HEARTBEAT.md is empty, unless something happened', async () => {
    const clock = new ManualClock()
    const test = await kit.start({ heartbeat: { every: '1m' } }, { clock, heartbeatFile: '# Nothing yet\n- \n' })
    kit.model.script = ok
    clock.advanceSeconds(61)
    expect(await test.beats(1)).toMatchObject({ outcome: 'skipped', detail: 'empty-heartbeat-file' })
    expect(kit.model.asked).toEqual([])
    await test.wake('Something')
    expect(await test.beats(2)).toMatchObject({ reason: 'now', outcome: 'ok-token' })
  })

  it('shows HEARTBEAT.md, and keeps quiet outside the active hours without forgetting anything', async () => {
    const clock = new ManualClock(Date.parse('2026-05-01T03:00:00Z'))
    const heartbeat = { every: '1h', activeHours: { start: '08:00', end: '20:00' } }
    const test = await kit.start({ heartbeat }, { clock, heartbeatFile: '- Water the plants' })
    kit.model.script = ok
    await test.wake('At night')
    clock.advanceSeconds(3_601)
    expect(await test.beats(1)).toMatchObject({ outcome: 'skipped', detail: 'quiet-hours' })
    expect(kit.model.asked).toEqual([])
    clock.advanceSeconds(5 * 3600)
    await until(() => expect(kit.model.prompt()).toMatch(/At night[\s\S]*HEARTBEAT\.md:\n- Water the plants/))
    await test.beats(2) // or its run would be out of time
    clock.advanceSeconds(12 * 3600)
    await test.wake('At night again')
    await test.agent.requestHeartbeat() // the operator may
    await until(() => expect(kit.model.prompt()).toContain('At night again'))
    await until(async () => expect((await test.agent.status()).openEvents).toBe(0))
  })

  it('still comes for an event that was waiting when the process ended', async () => {
    const first = await kit.start({}, { platform: { url: 'http://127.0.0.1:9', apiKey: 'sk-none' } })
    await first.wake('Do not forget me')
    await until(async () => expect((await first.agent.status()).heartbeat.failures).toBeGreaterThan(0))
    await first.close()
    kit.model.script = ok
    const second = await kit.start({}, { after: first })
    expect(await second.beats(1)).toMatchObject({ outcome: 'ok-token' })
    expect(kit.model.prompt()).toContain('Do not forget me')
  })

  it('shows the events again when their turn failed', async () => {
    const test = await kit.start({ model: 'none' })
    await test.wake('Important')
    expect(await test.beats(1)).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('none') })
    expect((await test.agent.events(1))[0]).toMatchObject({ state: 'open', consumed_by: null })
  })
})

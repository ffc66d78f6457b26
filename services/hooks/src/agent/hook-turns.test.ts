import { expect, it } from 'vitest'
import type { AgentAction } from '../actions.ts'
import { describeAgent, until } from './testing/agent-kit.ts'

const action = (more: Partial<AgentAction>): AgentAction => ({
  ...{ kind: 'agent', message: 'Hi', name: 'Hook', sessionKey: 'k', wakeMode: 'now', deliver: true, channel: 'last' },
  ...more,
})

describeAgent("a hook's own turn", (kit) => {
  it('shows the message to the model and delivers its reply (HOOK-040, HOOK-051, HOOK-054, HOOK-057)', async () => {
    const test = await kit.start()
    kit.model.script = () => 'The build is broken.'
    const { state, reply, delivery, threadId, runId } = await test.hook({ message: 'Look at build 7' })
    expect({ state, reply }).toEqual({ state: 'succeeded', reply: 'The build is broken.' })
    expect(kit.model.prompt()).toContain('Look at build 7')
    expect([threadId, runId]).toEqual([expect.stringMatching(/^thread_/), expect.stringMatching(/^run_/)])
    expect(delivery).toEqual({ outboxId: expect.stringMatching(/^out_/) })
    await until(() => expect(test.heard).toEqual([{ to: '1000', text: 'The build is broken.' }]))
  })

  it('continues the conversation of its key, and of no other (HOOK-045, HOOK-066)', async () => {
    const test = await kit.start()
    kit.model.script = ({ messages }) => `Answer ${messages.length}`
    await test.hook({ message: 'My name is Ada', sessionKey: 'ada' })
    await test.hook({ message: 'What is my name?', sessionKey: 'ada' })
    expect(kit.model.all()).toContain('My name is Ada')
    await test.hook({ message: 'And mine?', sessionKey: 'bob' })
    expect(kit.model.all()).not.toContain('Ada')
    const sessions = await test.agent.listSessions(10)
    expect(sessions.map(({ kind, key, turns }) => ({ kind, key, turns }))).toEqual(
      expect.arrayContaining([
        { kind: 'hook', key: 'ada', turns: 2 },
        { kind: 'hook', key: 'bob', turns: 1 },
      ]),
    )
    expect(new Set(sessions.map(({ thread_id }) => thread_id)).size).toBe(sessions.length)
  })

  it('posts its summary to the main session, delivered or not (HOOK-042, HOOK-052, HOOK-067)', async () => {
    const test = await kit.start()
    kit.model.script = () => `Short.${'x'.repeat(3_000)}`
    const { delivery } = await test.hook({ message: 'Sum it up', name: 'Nightly', deliver: false })
    expect(delivery).toEqual({ suppressed: 'deliver is false' })
    const [event] = await test.agent.events(1)
    expect(event).toMatchObject({ trust: 'external', state: 'open', mode: 'next-heartbeat' })
    expect(event?.text).toMatch(/^Hook Nightly: Short\.x+…$/)
    expect(event?.text.length).toBe('Hook Nightly: '.length + 2_000)
    expect(test.heard).toEqual([])
  })

  it('wakes the main session at once with wakeMode now, and only then (HOOK-046, HOOK-048, HOOK-049)', async () => {
    const test = await kit.start()
    kit.model.script = (asked) => (JSON.stringify(asked).includes('heartbeat') ? 'HEARTBEAT_OK' : 'All green')
    await test.hook({ message: 'Later', name: 'Quiet', wakeMode: 'next-heartbeat' })
    await test.hook({ message: 'Now', name: 'Loud', wakeMode: 'now' })
    const beat = await test.beats(1)
    expect(beat).toMatchObject({ reason: 'now', outcome: 'ok-token' })
    expect(kit.model.prompt()).toMatch(/Hook Quiet: All green[\s\S]*Hook Loud: All green/)
    expect(await test.agent.heartbeats(10)).toHaveLength(1)
  })

  it('leaves undelivered what nobody can or need hear (HOOK-053, HOOK-056)', async () => {
    const test = await kit.start({}, { channels: {} })
    expect((await test.hook({ message: 'Hi' })).delivery).toEqual({ suppressed: 'there is no recipient' })
    const unknown = await test.hook({ message: 'Hi', channel: 'irc', to: '#ops' })
    expect(unknown.delivery).toEqual({ suppressed: 'the channel irc is not configured' })
    kit.model.script = () => '**HEARTBEAT_OK**'
    expect((await test.hook({ message: 'Hi' })).delivery).toEqual({
      suppressed: 'the reply is only an acknowledgement',
    })
    kit.model.script = () => 'HEARTBEAT_OK but the disk is full'
    expect((await test.hook({ message: 'Hi' })).delivery).toEqual({ suppressed: 'there is no recipient' })
  })

  it('remembers the recipient of a sender that may set it, never that of another or of a mapping (HOOK-056, HOOK-057)', async () => {
    const test = await kit.start()
    await test.hook({ message: 'Hi', channel: 'telegram', to: '6' })
    await test.hook({ message: 'Hi', channel: 'telegram', to: '7', mapping: 'ci', setsRoute: true })
    expect(await test.outbox.target({ channel: 'last' })).toEqual({ channel: 'telegram', to: '1000' })
    await test.hook({ message: 'Hi', channel: 'telegram', to: '8', setsRoute: true })
    expect(await test.outbox.target({ channel: 'last' })).toEqual({ channel: 'telegram', to: '8' })
    await test.hook({ message: 'Hi' })
    await until(() => expect(test.heard.map(({ to }) => to)).toEqual(['6', '7', '8', '8']))
  })

  it('uses the model that was asked for, by its name or its alias (HOOK-058, HOOK-059, HOOK-060)', async () => {
    const models = ['openai/large', { model: 'house/special', alias: 'best' }]
    const test = await kit.start({ models })
    expect((await test.hook({ message: 'Hi', model: 'openai/large' })).model).toBe('large')
    expect((await test.hook({ message: 'Hi', model: 'best' })).model).toBe('house/special')
    expect((await test.hook({ message: 'Hi' })).model).toBe('gpt-4o-mini')
  })

  it('refuses what cannot be before it is accepted (HOOK-061)', async () => {
    const { agent } = await kit.start({ models: ['openai/large'] })
    expect(() => agent.check(action({ model: 'other/one' }))).toThrow("model 'other/one' is not allowed")
    expect(() => agent.check(action({ thinking: 'hard' }))).toThrow('thinking must be off|minimal|low|medium|high')
    expect(() => agent.check(action({ channel: 'irc', to: '#ops' }))).toThrow('channel irc is not configured')
    expect(() => agent.check(action({ channel: 'irc', to: '#ops', deliver: false }))).not.toThrow()
    expect(() => agent.check(action({ channel: 'telegram', to: 'nobody here' }))).toThrow(/^to: /)
    expect(() => agent.check(action({ timeoutSeconds: 90_000 }))).toThrow('timeoutSeconds may be at most 86400')
  })

  it('tells the model how much to think (HOOK-063)', async () => {
    const test = await kit.start({ thinking: 'low', instructions: 'Be kind.' })
    await test.hook({ message: 'Hi', thinking: 'high' })
    expect(kit.model.all()).toMatch(/Be kind\.\s+Thinking level: high\./)
    await test.hook({ message: 'Hi' })
    expect(kit.model.all()).toContain('Thinking level: low.')
  })

  it('ends a run that takes too long, and says so (HOOK-064, HOOK-065)', async () => {
    const test = await kit.start()
    const never = Promise.withResolvers<void>()
    kit.model.script = () => ({ after: never.promise, text: 'Too late' })
    const { state, error, delivery } = await test.hook({ message: 'Hi', name: 'Slow', timeoutSeconds: 1 })
    never.resolve()
    expect({ state, error }).toEqual({ state: 'timed_out', error: 'the run was ended after 1 s' })
    expect(delivery).toEqual({ suppressed: 'there is no reply' })
    expect((await test.agent.events(1))[0]?.text).toBe('Hook Slow (timeout): the run was ended after 1 s')
    kit.model.script = () => 'Back again'
    expect((await test.hook({ message: 'Hi' })).reply).toBe('Back again')
  })

  it('tells the main session of a delivery that no attempt could run (HOOK-067)', async () => {
    const test = await kit.start()
    const lost = {
      id: 'dlv_lost',
      action: action({ name: 'Lost', wakeMode: 'next-heartbeat' }),
      trust: 'external',
    } as const
    await test.kernel.db.transaction((tx) => test.agent.died(tx, lost, 'The platform cannot be reached'))
    const [event] = await test.agent.events(1)
    expect(event).toMatchObject({ text: 'Hook Lost (error): The platform cannot be reached', trust: 'external' })
  })

  it('takes a message longer than the platform takes at once', async () => {
    const test = await kit.start()
    const message = `${'long '.repeat(50_000)}end of it`
    expect((await test.hook({ message })).state).toBe('succeeded')
    expect(kit.model.all().replaceAll('\nuser: ', '')).toContain(message)
  })

  it('fails for good with a model that the platform does not have', async () => {
    const test = await kit.start()
    const { state, error } = await test.hook({ message: 'Hi', name: 'Odd', model: 'nobody/none' })
    expect(state).toBe('failed')
    expect(error).toMatch(/none/)
    expect((await test.agent.events(1))[0]?.text).toMatch(/^Hook Odd \(error\): /)
  })
})

import { setTimeout } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import { describe, expect } from 'vitest'
import {
  answering,
  type Behaviour,
  chatAnswer,
  event,
  failing,
  type ModelServer,
  sendJson,
  startEvents,
  step,
} from './testing/model-server.ts'
import { type Connect, call, chat, collect, it, problemOf, textOf, upstreamDetail } from './testing/upstream-test.ts'

const after =
  (ms: number, content: string): Behaviour =>
  (response) =>
    void setTimeout(ms).then(() => sendJson(response, chatAnswer(content)))

/** With a list of the servers that were left out. */
function withLog(connect: Connect, servers: ModelServer[], given: Parameters<Connect>[1]) {
  const left: object[] = []
  const log: Log = { debug() {}, error() {}, info() {}, warn: (fields) => left.push(fields), child: () => log }
  return { ...connect(servers, given, { log }), left }
}

describe('several servers', () => {
  it('share the calls evenly, one by one and together', async ({ serve, connect }) => {
    const servers = await Promise.all([0, 1, 2].map(() => serve(after(1, 'Hi'))))
    const { chat: model } = connect(servers)
    for (let round = 0; round < 30; round++) await model.complete(chat(), call())
    expect(servers.map(({ seen }) => seen.length)).toEqual([10, 10, 10])
    const held: (() => void)[] = []
    for (const server of servers) {
      server.behave((response) => held.push(() => sendJson(response, chatAnswer('Hi'))))
    }
    const together = Array.from({ length: 90 }, () => model.complete(chat(), call()))
    while (held.length < 90) await setTimeout(1)
    expect(servers.map(({ active }) => active)).toEqual([30, 30, 30])
    for (const release of held) release()
    await Promise.all(together)
  })

  it('share by load: a slow one gets less', async ({ serve, connect }) => {
    const [slow, fast] = await Promise.all([serve(after(60, 'slow')), serve(after(1, 'fast'))])
    const { chat: model } = connect([slow, fast])
    const worker = async (): Promise<void> => {
      for (let round = 0; round < 20; round++) await model.complete(chat(), call())
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    expect(slow.seen.length + fast.seen.length).toBe(160)
    expect(fast.seen.length).toBeGreaterThan(slow.seen.length * 3)
  })

  it('share by weight', async ({ serve, connect }) => {
    const held: (() => void)[] = []
    const holding: Behaviour = (response) => held.push(() => sendJson(response, chatAnswer('Hi')))
    const [small, large] = await Promise.all([serve(holding), serve(holding)])
    const { chat: model } = connect([
      { server: small, weight: 1 },
      { server: large, weight: 3 },
    ])
    const together = Array.from({ length: 40 }, () => model.complete(chat(), call()))
    while (held.length < 40) await setTimeout(1)
    expect([small.active, large.active]).toEqual([10, 30])
    for (const release of held) release()
    await Promise.all(together)
  })

  it('use few connections again and again', async ({ serve, connect }) => {
    const server = await serve(answering('Hi'))
    const { chat: model } = connect(server)
    const worker = async (): Promise<void> => {
      for (let round = 0; round < 25; round++) await model.complete(chat(), call())
    }
    await Promise.all(Array.from({ length: 4 }, worker))
    expect(server.seen).toHaveLength(100)
    // A connection rests for a turn of the event loop between two answers, so another one may be opened meanwhile.
    expect(server.connections).toBeLessThanOrEqual(8)
  })

  it('lose no request when one is killed with 200 in flight', async ({ serve, connect }) => {
    const held: (() => void)[] = []
    const holding: Behaviour = (response, seen) => {
      held.push(() => sendJson(response, chatAnswer(String((seen.body.messages as { content: string }[])[0]!.content))))
    }
    const [doomed, other] = await Promise.all([serve(holding), serve(holding)])
    const { chat: model } = connect([doomed, other], { maxConnections: 128 })
    const texts = Array.from({ length: 200 }, (_, at) => `question ${at}`)
    const answers = Promise.all(
      texts.map(async (content) => {
        const answer = await model.complete(chat({ messages: [{ role: 'user', content }] }), call())
        return answer.choices[0]!.message.content
      }),
    )
    while (doomed.active + other.active < 200) await setTimeout(1)
    expect(doomed.active).toBe(100)
    await doomed.kill()
    other.behave((response, seen) =>
      sendJson(response, chatAnswer(String((seen.body.messages as { content: string }[])[0]!.content))),
    )
    for (const release of held) release()
    expect(await answers).toEqual(texts)
    expect(other.mostActive).toBeLessThanOrEqual(128)
  })

  it('lose no stream that has not begun when one is killed', async ({ serve, connect }) => {
    const doomed = await serve((response) => startEvents(response))
    const other = await serve((response) => {
      startEvents(response)
      response.end(event(step({ content: 'Hi' }, 'stop')) + event('[DONE]'))
    })
    const { chat: model } = connect([doomed, other])
    const streams = Array.from({ length: 40 }, () => collect(model.stream(chat(), call())))
    while (doomed.active === 0 || doomed.active + other.seen.length < 40) await setTimeout(1)
    await doomed.kill()
    for (const steps of await Promise.all(streams)) expect(textOf(steps)).toBe('Hi')
  })

  it('go on without the one that is away, and with it when it is back', async ({ serve, connect }) => {
    const lines: string[] = []
    const log: Log = { debug() {}, error() {}, info: note, warn: note, child: () => log }
    function note(fields: object, message: string): void {
      lines.push(`${message} ${JSON.stringify(fields)}`)
    }
    const first = await serve(answering('first'))
    const second = await serve(answering('second'))
    const { chat: model } = connect([first, second], { apiKey: 'sk-very-secret-1' }, { log })
    await first.kill()
    for (let round = 0; round < 10; round++) await model.complete(chat(), call())
    expect(second.seen).toHaveLength(10)
    const again = await serve(answering('again'), first.port)
    // Asked by the health check, not by calls, until it answers.
    while (again.seen.length === 0) await model.complete(chat(), call())
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/^a model server is left out .*ECONN/)
    expect(lines[1]).toMatch(/^a model server is back/)
    expect(lines.join()).not.toContain('secret')
  })

  it('that are all away are waited for, for a moment', async ({ serve, connect }) => {
    const server = await serve(answering('first'))
    const { chat: model } = connect(server)
    await model.complete(chat(), call())
    await server.kill()
    const asking = model.complete(chat(), call())
    await serve(answering('again'), server.port)
    expect((await asking).choices[0]!.message.content).toBe('again')
  })

  it('that stay away are a problem with a time to come back', async ({ serve, connect }) => {
    const server = await serve(answering('first'))
    await server.kill()
    const { chat: model } = connect(server)
    const problem = await problemOf(model.complete(chat(), call()))
    expect(upstreamDetail(problem)).toMatchObject({ status: 502, retryAfterSeconds: expect.any(Number) })
  })

  it('notice one that is gone before a call does', async ({ serve, connect }) => {
    const [first, second] = await Promise.all([serve(answering('Hi')), serve(answering('Hi'))])
    const { chat: model, left } = withLog(connect, [first, second], { health: { intervalMs: 20 } })
    await model.complete(chat(), call())
    await first.kill()
    while (left.length === 0) await setTimeout(5)
    expect(second.seen.length + first.seen.length).toBe(1)
  })
})

describe('connections', () => {
  it('are bounded, and so is the wait for one, with a turn for everyone', async ({ serve, connect }) => {
    const held: (() => void)[] = []
    const order: unknown[] = []
    const server = await serve((response, seen) => {
      order.push(seen.body.user)
      held.push(() => sendJson(response, chatAnswer('Hi')))
    })
    const { chat: model } = connect(server, { maxConnections: 2, maxWaiting: 3 })
    const ask = (user: string) => model.complete(chat({ user }), call(undefined, user))
    const work = ['a', 'a', 'a', 'a', 'b'].map(ask)
    while (server.active < 2) await setTimeout(1)
    const refused = await problemOf(ask('a'))
    expect(refused.detail).toEqual({ kind: 'overloaded', retryAfterSeconds: expect.any(Number) })
    for (let done = 0; done < 5; done++) {
      while (held.length <= done) await setTimeout(1)
      held[done]?.()
    }
    await Promise.all(work)
    expect(server.mostActive).toBe(2)
    expect(server.connections).toBe(2)
    expect(order).toEqual(['a', 'a', 'a', 'b', 'a'])
  })

  it('that no one gives back in time are a refusal', async ({ serve, connect }) => {
    const server = await serve(() => {})
    const { chat: model } = connect(server, { maxConnections: 1, maxWaitMs: 30 })
    const stop = new AbortController()
    const first = model.complete(chat(), call(stop.signal)).catch(() => {})
    while (server.active === 0) await setTimeout(1)
    expect((await problemOf(model.complete(chat(), call()))).detail.kind).toBe('overloaded')
    stop.abort()
    await first
    // The place is free again.
    server.behave(answering('Hi'))
    await model.complete(chat(), call())
  })

  it('that are waited for end with the runtime too', async ({ serve, connect }) => {
    const server = await serve(answering('Hi'))
    await server.kill()
    const runtime = connect(server)
    const asking = problemOf(runtime.chat.complete(chat(), call()))
    while (runtime.load().isLoaded) await setTimeout(1)
    await runtime.close()
    expect(upstreamDetail(await asking).status).toBe(502)
  })

  it('end with the runtime', async ({ serve, connect }) => {
    const server = await serve(() => {})
    const runtime = connect(server, { retries: 0 })
    const asking = problemOf(runtime.chat.complete(chat(), call()))
    while (server.active === 0) await setTimeout(1)
    await runtime.close()
    await asking
    while (server.sockets.size > 0) await setTimeout(1)
  })
})

it('takes out a server whose health check fails', async ({ serve, connect }) => {
  const sick = await serve((response, { method }) => sendJson(response, chatAnswer('Hi'), method === 'GET' ? 500 : 200))
  const well = await serve((response) => sendJson(response, chatAnswer('Hi')))
  const { chat: model, left } = withLog(connect, [sick, well], { health: { path: '/health', intervalMs: 5 } })
  await model.complete(chat(), call())
  while (left.length === 0) await setTimeout(2)
  const calls = (): number => well.seen.filter(({ method }) => method === 'POST').length
  const before = calls()
  for (let round = 0; round < 4; round++) await model.complete(chat(), call())
  expect(calls()).toBe(before + 4)
})

it('asks the last server however it fails, and waits for none', async ({ serve, connect }) => {
  const server = await serve(failing(500))
  const { chat: model, left } = withLog(connect, [server], { retries: 0 })
  for (let round = 0; round < 10; round++) await problemOf(model.complete(chat(), call()))
  server.behave(answering('Hi'))
  await model.complete(chat(), call())
  expect(server.seen).toHaveLength(11)
  expect(left).toEqual([])
})

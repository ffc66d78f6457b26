import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type { ChatDelta } from '../chat.ts'
import { event, sendJson, startEvents, step, streaming, usage } from './testing/model-server.ts'
import { call, chat, collect, it, problemOf, textOf, upstreamDetail } from './testing/upstream-test.ts'

describe('a streamed chat answer', () => {
  it('comes in the promised order, with the usage at last', async ({ serve, connect }) => {
    const server = await serve(streaming('Hel', 'lo'))
    const steps = await collect(connect(server).chat.stream(chat(), call()))
    expect(server.seen[0]!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(steps.map(({ choices }) => choices[0])).toEqual([
      { index: 0, delta: { role: 'assistant', content: '', refusal: null }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'Hel' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'lo' }, logprobs: null, finish_reason: null },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
      undefined,
    ])
    expect(steps.map((each) => each.usage)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      expect.objectContaining(usage),
    ])
    expect(new Set(steps.map((each) => each.system_fingerprint)).size).toBe(1)
  })

  it('is passed on as it arrives', async ({ serve, connect }) => {
    let goOn: (() => void) | undefined
    const server = await serve((response) => {
      startEvents(response)
      response.write(event(step({ role: 'assistant', content: 'first' })))
      goOn = () => response.end(event(step({ content: 'second' }, 'stop')) + event('[DONE]'))
    })
    const steps = connect(server).chat.stream(chat(), call())[Symbol.asyncIterator]()
    await steps.next()
    expect((await steps.next()).value.choices[0].delta).toEqual({ content: 'first' })
    // The server says no more before this.
    goOn?.()
    expect((await steps.next()).value.choices[0].delta).toEqual({ content: 'second' })
    expect((await steps.next()).value.choices[0].finish_reason).toBe('stop')
    expect((await steps.next()).value.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 })
    expect((await steps.next()).done).toBe(true)
  })

  it('survives cuts anywhere, also within a letter', async ({ serve, connect }) => {
    const server = await serve(async (response) => {
      startEvents(response)
      response.socket?.setNoDelay(true)
      const all = `: hello\r\n\r\n${event(step({ content: 'Grüße 🌊' }))}${event(step({}, 'stop'))}${event('[DONE]')}`
      for (const byte of Buffer.from(all)) {
        response.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      response.end()
    })
    expect(textOf(await collect(connect(server).chat.stream(chat(), call())))).toBe('Grüße 🌊')
  })

  it('of tool calls without index and id is made complete', async ({ serve, connect }) => {
    const server = await serve((response) => {
      startEvents(response)
      const piece = (call: object): string => event(step({ tool_calls: [call] }))
      response.write(piece({ id: 'a', function: { name: 'look', arguments: '' } }))
      response.write(piece({ function: { arguments: '{"x"' } }))
      response.write(piece({ function: { arguments: ':1}' } }))
      response.write(piece({ id: 'b', function: { name: 'find', arguments: {} } }))
      response.end(event(step({}, 'tool_calls')) + event('[DONE]'))
    })
    const steps = await collect(connect(server).chat.stream(chat(), call()))
    expect(steps.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '' } },
      { index: 0, function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'find', arguments: '{}' } },
    ])
  })

  it('counts the last of many usages, and needs no [DONE] after a finish', async ({ serve, connect }) => {
    const server = await serve((response) => {
      startEvents(response)
      response.write(event({ ...step({ content: 'a' }), usage: { prompt_tokens: 9, completion_tokens: 1 } }))
      response.end(event({ ...step({}, 'max_tokens'), usage: { prompt_tokens: 9, completion_tokens: 2 } }))
    })
    const steps = await collect(connect(server).chat.stream(chat(), call()))
    expect(steps.at(-1)!.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 })
    expect(steps.at(-2)!.choices[0]!.finish_reason).toBe('length')
  })

  it('leaves its connection for the next, also when the server ends late', async ({ serve, connect }) => {
    const server = await serve(async (response) => {
      startEvents(response)
      response.write(event(step({ content: 'a' }, 'stop')) + event('[DONE]'))
      setImmediate(() => response.end(': bye\n\n'))
    })
    const { chat: model } = connect(server)
    for (let round = 0; round < 5; round++) {
      const ended = collect(model.stream(chat(), call()))
      await ended
      while (server.active > 0) await setTimeout(1)
    }
    expect(server.seen).toHaveLength(5)
    expect(server.connections).toBeLessThanOrEqual(2)
  })
})

describe('a stream that goes wrong', () => {
  const wave = Buffer.from(event(step({ content: '🌊' })))
  const broken = (text: string | Buffer, cut = false) =>
    ((response) => {
      startEvents(response)
      response.write(event(step({ content: 'begun' })))
      // Once the first piece has left.
      response.write(text, () => (cut ? response.socket?.resetAndDestroy() : response.end()))
    }) satisfies Parameters<typeof import('./testing/model-server.ts').startModelServer>[0]

  async function failure(steps: AsyncIterable<ChatDelta>): Promise<{ text: string; work: Promise<unknown> }> {
    const seen: ChatDelta[] = []
    const work = (async () => {
      for await (const each of steps) seen.push(each)
    })()
    await work.catch(() => {})
    return { text: textOf(seen), work }
  }

  it.for([
    ['an error', event({ error: { message: 'broke', type: 'server_error', code: 503 } }), 503, 'broke'],
    ['a refusal', event({ error: { message: 'bad', type: 'invalid_request_error' } }), 400, 'bad'],
    ['no JSON', event('{"choices": ['), 502, undefined],
    ['no object', event('7'), 502, undefined],
    ['no finish', event('[DONE]'), 502, undefined],
    ['nothing more', '', 502, undefined],
    ['half an event', 'data: {"choi', 502, undefined],
    ['half a letter', wave.subarray(0, wave.indexOf('🌊') + 2), 502, undefined],
    ['an event that never ends', `data: ${'x'.repeat(5_000_000)}`, 502, undefined],
  ] as const)(
    'with %s in its middle is a problem, after what was said',
    async ([, text, status, message], { serve, connect }) => {
      const server = await serve(broken(text))
      const { text: said, work } = await failure(connect(server).chat.stream(chat(), call()))
      const detail = upstreamDetail(await problemOf(work))
      expect(said).toBe('begun')
      expect(detail.status).toBe(status)
      expect(detail.error?.message).toBe(message)
      expect(server.seen).toHaveLength(1)
    },
  )

  it('by a cut connection is a problem, and not tried again', async ({ serve, connect }) => {
    const server = await serve(broken('', true))
    const { text, work } = await failure(connect(server).chat.stream(chat(), call()))
    expect(text).toBe('begun')
    expect(upstreamDetail(await problemOf(work)).status).toBe(502)
    expect(server.seen).toHaveLength(1)
  })

  it('before its first event is tried again', async ({ serve, connect }) => {
    let count = 0
    const server = await serve((response, ...rest) => {
      if (++count > 1) return streaming('Hi')(response, ...rest)
      startEvents(response)
      response.write(': soon\n\ndata: {"cho', () => response.socket?.resetAndDestroy())
    })
    expect(textOf(await collect(connect(server).chat.stream(chat(), call())))).toBe('Hi')
    expect(server.seen).toHaveLength(2)
  })

  it('because the server does not stream at all says so', async ({ serve, connect }) => {
    const server = await serve((response) => sendJson(response, { choices: [] }))
    const { work } = await failure(connect(server).chat.stream(chat(), call()))
    expect((await problemOf(work)).message).toMatch(/does not stream/)
  })

  it('because nothing comes any more ends by the idle time', async ({ serve, connect }) => {
    const server = await serve((response) => {
      startEvents(response)
      response.write(event(step({ content: 'begun' })))
    })
    const { chat: model } = connect(server, { timeouts: { idleMs: 40 } })
    const { text, work } = await failure(model.stream(chat(), call()))
    expect(text).toBe('begun')
    expect(upstreamDetail(await problemOf(work)).status).toBe(504)
    while (server.active > 0) await setTimeout(1)
  })

  it('because it never ends is cut by its size, and by the total time', async ({ serve, connect }) => {
    const endless = (pauseMs: number) =>
      (async (response) => {
        startEvents(response)
        while (!response.destroyed) {
          if (!response.write(event(step({ content: 'x'.repeat(500) })))) {
            await Promise.race([once(response, 'drain'), once(response, 'close')])
          }
          if (pauseMs > 0) await setTimeout(pauseMs)
        }
      }) satisfies Parameters<typeof import('./testing/model-server.ts').startModelServer>[0]
    const large = connect(await serve(endless(0)), { maxResponseBytes: 100_000 })
    expect((await problemOf((await failure(large.chat.stream(chat(), call()))).work)).message).toMatch(
      /larger than 100000/,
    )
    const long = connect(await serve(endless(5)), { timeouts: { totalMs: 150 } })
    expect(upstreamDetail(await problemOf((await failure(long.chat.stream(chat(), call()))).work)).status).toBe(504)
  })
})

describe('a reader of a stream', () => {
  it('that is slow makes the server wait, and holds little', async ({ serve, connect }) => {
    const total = 64 * 1024 * 1024
    const line = event(step({ content: 'x'.repeat(16_000) }))
    let written = 0
    const server = await serve(async (response) => {
      startEvents(response)
      while (written < total && !response.destroyed) {
        written += line.length
        if (response.write(line)) continue
        await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
      response.end(event(step({}, 'stop')) + event('[DONE]'))
    })
    const { chat: model } = connect(server, { timeouts: { idleMs: 1_000 } })
    const steps = model.stream(chat(), call())[Symbol.asyncIterator]()
    await steps.next()
    // The socket's own buffers fill, and then nothing moves, for longer than the idle time: it is the reader who is slow.
    let before = -1
    while (before !== written) {
      before = written
      await setTimeout(1_200)
    }
    expect(written).toBeLessThan(total / 4)
    let read = 0
    for (let next = await steps.next(); !next.done; next = await steps.next()) {
      read += next.value.choices[0]?.delta.content?.length ?? 0
    }
    expect(read).toBe(Math.ceil(total / line.length) * 16_000)
  })

  it('that stops ends the request at the server', async ({ serve, connect }) => {
    const server = await serve((response) => {
      startEvents(response)
      response.write(event(step({ content: 'a' })))
    })
    for await (const _ of connect(server).chat.stream(chat(), call())) break
    while (server.active > 0) await setTimeout(1)
    expect(server.sockets.size).toBe(0)
  })

  it('that leaves without a word leaves no place taken', async ({ serve, connect }) => {
    const server = await serve((response) => {
      startEvents(response)
      response.write(event(step({ content: 'a' })))
    })
    const runtime = connect(server, { maxConnections: 1, maxWaiting: 0 })
    const stop = new AbortController()
    await runtime.chat.stream(chat(), call(stop.signal))[Symbol.asyncIterator]().next()
    expect(runtime.load()).toEqual({ running: 1, waiting: 0, isLoaded: true })
    stop.abort()
    expect(runtime.load()).toMatchObject({ running: 0 })
    server.behave(streaming('Hi'))
    expect(textOf(await collect(runtime.chat.stream(chat(), call())))).toBe('Hi')
  })

  it('that aborts ends the request at the server, and gets its own reason', async ({ serve, connect }) => {
    const server = await serve((response) => {
      startEvents(response)
      response.write(event(step({ content: 'a' })))
    })
    const stop = new AbortController()
    const reason = new Error('the client left')
    const reading = collect(connect(server).chat.stream(chat(), call(stop.signal)))
    while (server.active === 0) await setTimeout(1)
    stop.abort(reason)
    await expect(reading).rejects.toBe(reason)
    while (server.active > 0) await setTimeout(1)
  })
})

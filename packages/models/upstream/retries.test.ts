import { setTimeout } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { answering, failing, inTurn, sendJson } from './testing/model-server.ts'
import { call, chat, it, problemOf, upstreamDetail } from './testing/upstream-test.ts'

describe('a try that fails', () => {
  it.for([408, 429, 500, 502, 503, 504])('with %i is followed by another', async (status, { serve, connect }) => {
    const server = await serve(inTurn(failing(status), answering('Hi')))
    const answer = await connect(server).chat.complete(chat(), call())
    expect(answer.choices[0]!.message.content).toBe('Hi')
    expect(server.seen).toHaveLength(2)
  })

  it.for([400, 401, 403, 404, 409, 413, 422, 501])('with %i is the last', async (status, { serve, connect }) => {
    const server = await serve(failing(status))
    expect(upstreamDetail(await problemOf(connect(server).chat.complete(chat(), call()))).status).toBe(status)
    expect(server.seen).toHaveLength(1)
  })

  it('is repeated as often as the settings say', async ({ serve, connect }) => {
    const server = await serve(failing(500))
    const problem = await problemOf(connect(server, { retries: 1 }).chat.complete(chat(), call()))
    expect(upstreamDetail(problem)).toMatchObject({ status: 500, error: { message: 'no' } })
    expect(server.seen).toHaveLength(2)
  })

  it('because the connection was cut within the answer is followed by another', async ({ serve, connect }) => {
    const server = await serve(
      inTurn((response) => {
        response.writeHead(200, { 'content-length': 1_000 })
        response.write('{"choices', () => response.socket?.resetAndDestroy())
      }, answering('Hi')),
    )
    await connect(server).chat.complete(chat(), call())
    expect(server.seen).toHaveLength(2)
  })

  it('goes to another server first, at once', async ({ serve, connect }) => {
    const bad = await serve(failing(500))
    const good = await serve(answering('Hi'))
    const { chat: model } = connect([bad, good])
    for (let round = 0; round < 6; round++) await model.complete(chat(), call())
    expect(good.seen).toHaveLength(6)
    // After three failures in a row it is left out.
    expect(bad.seen).toHaveLength(3)
  })

  it('because the answer took too long goes to another server', async ({ serve, connect }) => {
    const slow = await serve(() => {})
    const good = await serve(answering('Hi'))
    const { chat: model } = connect([slow, good], { timeouts: { firstByteMs: 1_000 } })
    await Promise.all([model.complete(chat(), call()), model.complete(chat(), call())])
    expect([slow.seen.length, good.seen.length]).toEqual([1, 2])
  })

  it('everywhere because of the time is a problem of time', async ({ serve, connect }) => {
    const server = await serve(() => {})
    const { chat: model } = connect(server, { timeouts: { firstByteMs: 30 }, retries: 0 })
    expect(upstreamDetail(await problemOf(model.complete(chat(), call()))).status).toBe(504)
    const short = connect(server, { timeouts: { totalMs: 30 } })
    expect(upstreamDetail(await problemOf(short.chat.complete(chat(), call()))).status).toBe(504)
    while (server.active > 0) await setTimeout(1)
  })
})

describe('a server that says when to come back', () => {
  it('is left alone until then, when there is another', async ({ serve, connect }) => {
    const busy = await serve(failing(429, { 'retry-after': '60' }))
    const good = await serve(answering('Hi'))
    const { chat: model } = connect([busy, good])
    for (let round = 0; round < 8; round++) await model.complete(chat(), call())
    expect([busy.seen.length, good.seen.length]).toEqual([1, 8])
  })

  it('soon is waited for', async ({ serve, connect }) => {
    const server = await serve(inTurn(failing(503, { 'retry-after-ms': '300' }), answering('Hi')))
    const started = performance.now()
    await connect(server).chat.complete(chat(), call())
    expect(performance.now() - started).toBeGreaterThanOrEqual(299)
    expect(server.seen).toHaveLength(2)
  })

  it('late is a problem with the time, now and for those who ask meanwhile', async ({ serve, connect }) => {
    const server = await serve(failing(429, { 'retry-after': '20' }, 'slow down'))
    const { chat: model } = connect(server)
    const first = upstreamDetail(await problemOf(model.complete(chat(), call())))
    expect(first).toMatchObject({ status: 429, retryAfterSeconds: 20, error: { message: 'slow down' } })
    const second = upstreamDetail(await problemOf(model.complete(chat(), call())))
    expect(second).toMatchObject({ status: 429, retryAfterSeconds: 20 })
    expect(server.seen).toHaveLength(1)
  })
})

it('gives up at once when nobody waits any more: at the server, in a pause, and before', async ({ serve, connect }) => {
  const reason = new Error('the client left')
  const server = await serve(() => {})
  const { chat: model } = connect(server)
  const stop = new AbortController()
  const asking = model.complete(chat(), call(stop.signal))
  while (server.active === 0) await setTimeout(1)
  stop.abort(reason)
  await expect(asking).rejects.toBe(reason)
  while (server.active > 0) await setTimeout(1)
  await expect(model.complete(chat(), call(stop.signal))).rejects.toBe(reason)

  server.behave((response) => sendJson(response, {}, 503, { 'retry-after-ms': '1500' }))
  const pause = new AbortController()
  const paused = model.complete(chat(), call(pause.signal))
  while (server.seen.length < 2) await setTimeout(1)
  while (server.active > 0) await setTimeout(1)
  pause.abort(reason)
  await expect(paused).rejects.toBe(reason)
  expect(server.seen).toHaveLength(2)
})

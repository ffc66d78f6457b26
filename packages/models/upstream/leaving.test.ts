// Callers that leave at any moment leave nothing behind.
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { chatAnswer, event, sendJson, startEvents, step, streaming } from './testing/model-server.ts'
import { call, chat, collect, it, textOf } from './testing/upstream-test.ts'

const callers = 1_000
const atOnce = 50

it('1,000 callers that leave at any moment leave no place and no connection taken', async ({ serve, connect }) => {
  const server = await serve(async (response, { body }) => {
    if (!body.stream) return void setTimeout(Math.random() * 4).then(() => sendJson(response, chatAnswer('Hi')))
    startEvents(response)
    for (let piece = 0; piece < 8 && !response.destroyed; piece++) {
      response.write(event(step({ content: 'word ' })))
      await setTimeout(Math.random())
    }
    response.end(event(step({}, 'stop')) + event('[DONE]'))
  })
  const runtime = connect(server, { maxConnections: 20 })
  let left = 0
  let done = 0
  const caller = async (at: number): Promise<void> => {
    const stop = new AbortController()
    const timer = globalThis.setTimeout(() => stop.abort(), Math.random() * 10)
    try {
      if (at % 3 === 0) await runtime.chat.complete(chat(), call(stop.signal))
      else await collect(runtime.chat.stream(chat(), call(stop.signal)))
      done++
    } catch (error) {
      expect(error).toBe(stop.signal.reason)
      left++
    } finally {
      clearTimeout(timer)
    }
  }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < callers) await caller(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  expect(left + done).toBe(callers)
  expect(left).toBeGreaterThan(callers / 10)
  expect(runtime.load()).toMatchObject({ running: 0, waiting: 0 })
  while (server.active > 0) await setTimeout(1)
  expect(server.mostActive).toBeLessThanOrEqual(2 * 20)
  expect(server.sockets.size).toBeLessThanOrEqual(20)
  server.behave(streaming('Hi'))
  const after = await Promise.all(Array.from({ length: 20 }, () => collect(runtime.chat.stream(chat(), call()))))
  for (const steps of after) expect(textOf(steps)).toBe('Hi')
})

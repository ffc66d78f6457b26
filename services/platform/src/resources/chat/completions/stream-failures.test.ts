import { request } from 'node:http'
import type { ChatDelta, ChatModel } from '@atoll/models/chat'
import { ModelProblem } from '@atoll/models/problem'
import { expect, it, vi } from 'vitest'
import { chatBody, eventsOf } from '../../../testing/chat-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'

const answered = { model: 'stand-in', system_fingerprint: 'fp_1' }
const piece = (content: string): ChatDelta => ({
  ...answered,
  choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
})

/** What a real model does not do at will: failing, and writing without end. */
const runtimeOf = (steps: (signal: AbortSignal) => AsyncGenerator<ChatDelta>) => {
  const chat: ChatModel = {
    complete: () => Promise.reject(new Error('only streams')),
    stream: (_, { signal }) => steps(signal),
  }
  return { 'builtin-chat': { chat, close: async () => undefined } }
}

const usageRows = async ({ platform, kernel }: TestPlatform) => {
  await platform.inference.usage.flush()
  return kernel.db.queries.selectFrom('usage_events').selectAll().execute()
}

describePlatformOnSqlite('a stream that goes wrong', (start) => {
  it('before its first chunk is refused with a status', async () => {
    const overloaded = async function* (): AsyncGenerator<ChatDelta> {
      yield await Promise.reject(new ModelProblem('Busy.', { kind: 'overloaded', retryAfterSeconds: 7 }))
    }
    const platform = await start({ runtimes: runtimeOf(overloaded) })
    const response = await platform.post('/v1/chat/completions', chatBody({ stream: true }))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('7')
    expect((await errorOf(response)).message).toContain('Busy.')
    expect(await usageRows(platform)).toEqual([])
  })

  it('in the middle tells so in its last event, and is metered as far as it came', async () => {
    const failing = async function* (): AsyncGenerator<ChatDelta> {
      for (const text of ['', 'a', 'b', 'c']) yield piece(text)
      throw new ModelProblem('The model is gone.', { kind: 'failed' })
    }
    const platform = await start({ runtimes: runtimeOf(failing) })
    const response = await platform.post('/v1/chat/completions', chatBody({ stream: true }))
    expect(response.status).toBe(200)
    const events = eventsOf(await response.text()).map((data) => JSON.parse(data))
    expect(events).toHaveLength(5)
    expect(events.at(-1)).toEqual({ error: expect.objectContaining({ type: 'server_error', param: null, code: null }) })
    expect(await usageRows(platform)).toMatchObject([{ answered_by: 'stand-in', output_tokens: 3 }])
  })

  it('since its reader left stops the model at once, and is metered as far as it came', async () => {
    const seen = { stopped: false, made: 0 }
    const endless = async function* (signal: AbortSignal): AsyncGenerator<ChatDelta> {
      signal.addEventListener('abort', () => (seen.stopped = true))
      for (;;) {
        signal.throwIfAborted()
        seen.made++
        yield piece('word ')
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    const platform = await start({ runtimes: runtimeOf(endless) })
    const leave = new AbortController()
    const response = await fetch(`${platform.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(chatBody({ stream: true })),
      signal: leave.signal,
    })
    await response.body?.getReader().read()
    leave.abort()
    await vi.waitFor(() => expect(seen.stopped).toBe(true))
    const rows = await vi.waitFor(async () => {
      const found = await usageRows(platform)
      expect(found).toHaveLength(1)
      return found
    })
    expect(rows[0]?.output_tokens).toBeGreaterThanOrEqual(1)
    expect(rows[0]?.output_tokens).toBeLessThanOrEqual(seen.made)
    expect(platform.logged()).not.toContain('A request failed')
  })

  it('since nobody reads waits for the reader, and keeps nothing meanwhile', async () => {
    const seen = { made: 0 }
    const endless = async function* (signal: AbortSignal): AsyncGenerator<ChatDelta> {
      while (!signal.aborted) {
        seen.made++
        yield piece('x'.repeat(10_000))
      }
    }
    const platform = await start({ runtimes: runtimeOf(endless) })
    const { hostname, port } = new URL(platform.url)
    const call = request({
      ...{ hostname, port, path: '/v1/chat/completions', method: 'POST' },
      headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json' },
    })
    call.end(JSON.stringify(chatBody({ stream: true })))
    const response = await new Promise<NodeJS.ReadableStream>((resolve) => call.once('response', resolve))
    response.pause()
    const settled = async (): Promise<number> => {
      for (let before = -1; ; ) {
        if (before === seen.made && before > 0) return before
        before = seen.made
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
    const made = await settled() // an endless stream that has come to a halt
    expect(made * 10_000).toBeLessThan(100_000_000)
    call.destroy()
  })
})

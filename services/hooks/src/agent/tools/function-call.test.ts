import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type FunctionTool, ToolConfig } from './config.ts'
import { callFunction } from './function-call.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(answer: (response: ServerResponse, request: IncomingMessage, body: string) => void) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    answer(response, request, body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const toolAt = (url: string, more: object = {}) =>
  ToolConfig.parse({ type: 'function', name: 'look', url, ...more }) as FunctionTool

const call = (tool: FunctionTool, args = '{"at":"disk"}', signal = new AbortController().signal) =>
  callFunction({ tool, arguments: args, idempotencyKey: 'turn:call', signal })

describe("a function of the operator's", () => {
  it('gets the arguments as JSON, with a key and the token of the environment', async () => {
    process.env.HOOKS_TEST_TOOL_TOKEN = 'tool-secret'
    closing.push(() => delete process.env.HOOKS_TEST_TOOL_TOKEN)
    let seen: unknown
    const url = await serve((response, { method, headers }, body) => {
      const { authorization, 'idempotency-key': key, 'content-type': type } = headers
      seen = { method, body, authorization, key, type }
      response.end('free: 3 %')
    })
    expect(await call(toolAt(url, { tokenEnv: 'HOOKS_TEST_TOOL_TOKEN' }))).toBe('free: 3 %')
    expect(seen).toEqual({
      ...{ method: 'POST', body: '{"at":"disk"}', key: 'turn:call' },
      ...{ type: 'application/json', authorization: 'Bearer tool-secret' },
    })
  })

  it('may answer badly: the model is told', async () => {
    const failing = await serve((response) => response.writeHead(503).end('too busy'))
    expect(await call(toolAt(failing))).toBe('The tool failed with status 503: too busy')
    expect(await call(toolAt('http://127.0.0.1:9/'))).toMatch(/^The tool could not be reached: /)
    const cut = await serve((response) => response.destroy())
    expect(await call(toolAt(cut))).toMatch(/^The tool could not be reached: /)
    const silent = await serve(() => undefined)
    expect(await call(toolAt(silent, { timeoutSeconds: 1 }))).toBe('The tool did not answer within 1 s.')
  })

  it('may answer without end: the rest is left', async () => {
    const url = await serve((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', more)
      }
      more()
    })
    expect(await call(toolAt(url, { maxAnswerBytes: 100 }))).toBe(`${'x'.repeat(100)}\n[cut off after 100 bytes]`)
  })

  it('is followed nowhere else', async () => {
    let wasReached = false
    const other = await serve((response) => {
      wasReached = true
      response.end()
    })
    const url = await serve((response) => response.writeHead(307, { location: other }).end())
    expect(await call(toolAt(url))).toMatch(/^The tool could not be reached: /)
    expect(wasReached).toBe(false)
  })

  it.each(['', 'null', '[1]', '{"a":', '"text"'])('is not called with %j', async (args) => {
    expect(await call(toolAt('http://127.0.0.1:9/'), args)).toBe(
      'The call was not made: its arguments are no JSON object.',
    )
  })

  it('is not called with too much', async () => {
    const args = JSON.stringify({ text: 'x'.repeat(300_000) })
    expect(await call(toolAt('http://127.0.0.1:9/'), args)).toMatch(/too long/)
  })
})

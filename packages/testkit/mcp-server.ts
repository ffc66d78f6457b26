// A real MCP server made with the official package: over HTTP, with a note of what it was asked and called.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { afterTest } from './after-tests.ts'

export interface TestMcpServer {
  url: string
  /** Methods of JSON-RPC, in their order. */
  asked: string[]
  /** Of every request. */
  headers: IncomingMessage['headers'][]
  /** Calls of `book`. */
  booked: string[]
}

/** `add` and `fail` only read; `book` changes something, `slow` never answers, `long` says too much. */
export function toolServer(booked: string[]): McpServer {
  const server = new McpServer({ name: 'tests', version: '1.0.0' })
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })
  const numbers = z.object({ a: z.number(), b: z.number() })
  const readOnly = { readOnlyHint: true }
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: numbers, annotations: readOnly },
    async ({ a, b }) => text(String(a + b)),
  )
  server.registerTool('fail', { description: 'Fails', annotations: readOnly }, async () => ({
    ...text('No such city.'),
    isError: true,
  }))
  const place = z.object({ city: z.string() })
  server.registerTool('book', { description: 'Books a room', inputSchema: place }, async ({ city }) => {
    booked.push(city)
    return text(`Booked a room in ${city}.`)
  })
  server.registerTool('slow', { description: 'Takes for ever' }, () => new Promise(() => undefined))
  server.registerTool('long', { description: 'Says too much' }, async () => text('x'.repeat(5 * 1024 * 1024)))
  return server
}

export async function startMcpServer(): Promise<TestMcpServer> {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const booked: string[] = []
  const handler = createMcpHandler(() => toolServer(booked))
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    const body = Buffer.concat(await request.toArray()).toString()
    if (body !== '') asked.push((JSON.parse(body) as { method: string }).method)
    const given = { method: request.method ?? 'POST', headers: request.headers as Record<string, string> }
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, body ? { ...given, body } : given))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const piece of answer.body ?? []) response.write(piece)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterTest(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked, headers, booked }
}

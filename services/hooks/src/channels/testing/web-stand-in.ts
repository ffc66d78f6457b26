// Speaks like the web interfaces of Matrix, Slack, Discord and Telegram, and misbehaves when told to.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Heard {
  method: string
  path: string
  authorization: string | undefined
  body: Record<string, unknown>
}

/** How the next request is treated. `drop`: taken, and the connection cut without an answer. */
export type Misdeed =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | 'drop'
  | 'hang'
  | 'half an answer'

export interface StandIn {
  url: string
  heard: Heard[]
  /** Done one after the other before it behaves. */
  misdeeds: Misdeed[]
  close(): Promise<void>
}

export async function startStandIn(answerOf: (heard: Heard) => unknown = () => ({ ok: true })): Promise<StandIn> {
  const heard: Heard[] = []
  const misdeeds: Misdeed[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await textOf(request)) || '{}')
    const { method = '', url = '', headers } = request
    const call = { method, path: decodeURIComponent(url), authorization: headers.authorization, body }
    heard.push(call)
    const misdeed = misdeeds.shift()
    if (misdeed !== undefined) return misbehave(response, misdeed)
    return answer(response, 200, {}, answerOf(call))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}`, heard, misdeeds, close }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

function misbehave(response: ServerResponse, misdeed: Misdeed): void {
  if (misdeed === 'hang') return
  if (misdeed === 'drop') response.destroy()
  else if (misdeed === 'half an answer') {
    response.writeHead(200, { 'content-length': '1000' }).write('{"ok":')
    setTimeout(() => response.destroy(), 20)
  } else answer(response, misdeed.status, misdeed.headers ?? {}, misdeed.body ?? {})
}

function answer(response: ServerResponse, status: number, headers: Record<string, string>, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

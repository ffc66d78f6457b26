// Requests of attackers and of the caller beside them.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { AtollServer } from '../atoll-server.ts'
import type { Probe } from './attack.ts'
import type { Sending } from './sender-thread.ts'

let sender: Worker | undefined
let sent = 0

/** Resolves when the connection is closed. What the server answers does not matter. */
export async function send(url: string, { method = 'POST', headers = {}, body }: Partial<Sending>): Promise<void> {
  sender ??= new Worker(new URL('./sender-thread.ts', import.meta.url)).setMaxListeners(0)
  const id = ++sent
  const sending: Sending = { url, method, headers, body }
  sender.ref()
  sender.postMessage({ id, sending })
  for (let done: unknown; done !== id; ) [done] = await once(sender, 'message')
  sender.unref()
}

/** In memory that threads share: to send it costs the caller beside it nothing. */
export function bodyOf(text: string): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(Buffer.byteLength(text))
  Buffer.from(shared).write(text)
  return shared
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

/** The lightest thing a caller with a key can ask. */
export const listModels: Probe = {
  name: 'GET /v1/models',
  everyMs: 5,
  async ask({ url, apiKey }: AtollServer) {
    const response = await fetch(`${url}/v1/models`, { headers: bearer(apiKey) })
    if (response.status !== 200) throw new Error(`GET /v1/models answered ${response.status}`)
    await response.arrayBuffer()
  },
}

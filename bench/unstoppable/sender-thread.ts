// Sends the attackers' requests from a thread of its own: the caller beside them must wait for the server alone.
import { request } from 'node:http'
import { parentPort } from 'node:worker_threads'

export interface Sending {
  url: string
  method: string
  headers: Record<string, string>
  body: SharedArrayBuffer | undefined
}

parentPort?.on('message', async ({ id, sending }: { id: number; sending: Sending }) => {
  await send(sending)
  parentPort?.postMessage(id)
})

/** Resolves whatever becomes of it: a server that refuses may close before all is sent. */
function send({ url, method, headers, body }: Sending): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method, headers, agent: false })
    outgoing.on('error', () => {}).on('response', (response) => response.resume().on('error', () => {}))
    outgoing.on('close', resolve)
    outgoing.end(body === undefined ? undefined : Buffer.from(body))
  })
}

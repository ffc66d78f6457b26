// Stands between the agent and the platform, and loses answers when told to: the request was done, nobody knows.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LossyProxy {
  url: string
  /** The answer to the next request that matches is lost. */
  lose: RegExp | undefined
  /** `POST /v1/threads/…` */
  seen: string[]
  close(): Promise<void>
}

export async function startLossyProxy(to: string): Promise<LossyProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = `${request.method} ${request.url}`
    proxy.seen.push(call)
    const { authorization = '', 'openai-beta': beta = '' } = request.headers
    const answer = await fetch(`${to}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'openai-beta': String(beta), 'content-type': 'application/json' },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    const body = await answer.text()
    if (proxy.lose?.test(call)) {
      proxy.lose = undefined
      response.destroy()
    } else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy: LossyProxy = {
    url: `http://127.0.0.1:${port}`,
    lose: undefined,
    seen: [],
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

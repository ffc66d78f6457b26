// Passes requests on to a server, and loses answers as a bad line does: the server has done what was asked by then.
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ForgetfulProxy {
  url: string
  /** Answers of `POST` at such paths are lost, so many times. */
  losing: { path: RegExp; times: number }[]
  /** What was asked, as `POST /v1/files`. */
  asked: string[]
  close(): Promise<void>
}

export async function startForgetfulProxy(target: string): Promise<ForgetfulProxy> {
  const { hostname, port } = new URL(target)
  const proxy: Omit<ForgetfulProxy, 'url' | 'close'> = { losing: [], asked: [] }
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    proxy.asked.push(`${method} ${url}`)
    const passed = send({ hostname, port, method, path: url, headers }, (answer) => {
      const lost = method === 'POST' ? proxy.losing.find(({ path, times }) => times > 0 && path.test(url)) : undefined
      if (lost !== undefined) {
        lost.times--
        answer.resume().on('end', () => outgoing.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close })
}

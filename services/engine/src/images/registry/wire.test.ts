// What HTTP itself can do to a registry client: redirects, certificates, proxies.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { selfSignedCertificate } from '@atoll/kernel/http/server/self-signed'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, describe, expect, it } from 'vitest'
import { forever, quick } from './testing/registry-engine.ts'
import { Wire } from './wire.ts'

const servers: Server[] = []
const saved = { ...process.env }

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  process.env = { ...saved }
})

async function serve(listener: RequestListener, server: Server = createServer()): Promise<string> {
  server.on('request', listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `127.0.0.1:${(server.address() as { port: number }).port}`
}

const get = (url: string, headers: Record<string, string> = {}, isInsecure = false) =>
  new Wire(quick).sendSmall({ method: 'GET', url: new URL(url), headers, isInsecure, signal: forever() }, 1_000)

describe('the wire to a registry', () => {
  it('follows redirects, and shows credentials only where they belong', async () => {
    const seen: unknown[] = []
    const elsewhere = await serve(({ headers }, response) => {
      seen.push(['elsewhere', headers.authorization, headers.range])
      response.end('blob')
    })
    const registry = await serve(({ url, headers }, response) => {
      seen.push([url, headers.authorization, headers.range])
      response.writeHead(307, { location: url === '/a' ? '/b' : `http://${elsewhere}/` })
      response.end()
    })
    const answer = await get(`http://${registry}/a`, { authorization: 'Basic x', range: 'bytes=5-' })
    expect(answer.bytes.toString()).toBe('blob')
    expect(seen).toEqual([
      ['/a', 'Basic x', 'bytes=5-'],
      ['/b', 'Basic x', 'bytes=5-'],
      ['elsewhere', undefined, 'bytes=5-'],
    ])
  })

  it('does not follow redirects for ever, nor to what is no HTTP', async () => {
    const round = await serve((_, response) => response.writeHead(302, { location: '/' }).end())
    await expect(get(`http://${round}/`)).rejects.toThrow(/stopped after 5 redirects$/)
    const file = await serve((_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end())
    await expect(get(`http://${file}/`)).rejects.toThrow(/redirected to file:$/)
  })

  it('trusts no certificate that nobody vouches for, unless it is told to', async () => {
    const { cert, key } = await selfSignedCertificate(await tempDir())
    const open = await serve((_, response) => response.end('open'))
    const tls = createTlsServer({ cert, key }) as unknown as Server
    const closed = await serve((_, response) => response.end('closed'), tls)
    await expect(get(`https://${closed}/`)).rejects.toThrow(/x509: the certificate cannot be trusted: /)
    expect((await get(`https://${closed}/`, {}, true)).bytes.toString()).toBe('closed')
    await expect(get(`https://${open}/`)).rejects.toThrow(/server gave HTTP response to HTTPS client$/)
  })

  it('goes through the proxy of the environment, but never for what is on this machine', async () => {
    const asked: unknown[] = []
    const proxy = createServer()
    proxy.on('connect', ({ url }, socket: Socket) => {
      asked.push(['CONNECT', url])
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
    const address = await serve(({ method, url }, response) => {
      asked.push([method, url])
      response.end('by proxy')
    }, proxy)
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'])
      process.env[name] = `http://${address}`
    for (const name of ['no_proxy', 'NO_PROXY']) delete process.env[name]
    expect((await get('http://registry.invalid/v2/')).bytes.toString()).toBe('by proxy')
    await expect(get('https://registry.invalid/v2/')).rejects.toThrow(/registry\.invalid/)
    const near = await serve((_, response) => response.end('direct'))
    expect((await get(`http://${near}/`)).bytes.toString()).toBe('direct')
    expect(asked).toEqual([
      ['GET', 'http://registry.invalid/v2/'],
      ['CONNECT', 'registry.invalid:443'],
    ])
  })
})

// A service of the same machine that trusts whoever reaches it, as the engine does on its socket; and somebody who is
// logged in to the console.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach } from 'vitest'
import type { TestPlatform } from '../../testing/describe-platform.ts'

export const ofConsole = { 'x-atoll-console': '1' }

interface Heard {
  method: string
  url: string
  headers: IncomingHttpHeaders
}

/** Called after the test. */
export const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

export async function trustingService() {
  const heard: Heard[] = []
  const server = createServer((asked, answer) => {
    heard.push({ method: asked.method ?? '', url: asked.url ?? '', headers: asked.headers })
    let bytes = 0
    asked.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    asked.on('end', () => {
      answer.setHeader('set-cookie', 'atoll_session=stolen')
      answer.setHeader('content-type', 'text/html')
      if (asked.url?.endsWith('/hang-up')) return void asked.socket.destroy()
      if (asked.url?.endsWith('/refuse')) answer.statusCode = 409
      if (asked.url === '/follow') return void answer.write('first line\n')
      answer.end(`<script>alert(${bytes})</script>`)
    })
  })
  server.on('upgrade', (asked, socket, head) => {
    heard.push({ method: asked.method ?? '', url: asked.url ?? '', headers: asked.headers })
    if (asked.url?.includes('hangs-up')) return void socket.destroy()
    if (asked.url?.includes('refused')) {
      return void socket.end('HTTP/1.1 409 Conflict\r\ncontent-length: 25\r\n\r\n{"message":"not running"}')
    }
    socket.write('HTTP/1.1 101 Upgraded\r\nconnection: Upgrade\r\nupgrade: tcp\r\n\r\n')
    asked.resume() // Node gives the body here, or with what follows it
    socket.on('error', () => undefined)
    const hear = (piece: Buffer) => {
      const typed = String(piece).replace(/^\{.*?\}/, '')
      if (typed.length > 0) socket.write(`you said ${typed}`)
    }
    hear(head)
    socket.on('data', hear)
  })
  const path = join(await tempDir(), 'engine.sock')
  server.listen(path)
  await once(server, 'listening')
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return {
    heard,
    neighbours: { connections: new Map([['engine', () => connect({ path })]]), absent: {}, recheckMs: 200 },
  }
}

/** The headers of a page that the owner is logged in to. */
export async function open(platform: TestPlatform) {
  const link = await platform.platform.console.links.create()
  const response = await platform.as(undefined).post('/v1/console/login', { link }, ofConsole)
  return { ...ofConsole, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

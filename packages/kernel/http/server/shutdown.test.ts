import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineRoute, startSample } from '../testing/sample-service.ts'
import { TextSocket } from '../testing/text-socket.ts'

function gatedRoute() {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const route = defineRoute({
    method: 'GET',
    path: '/slow',
    auth: 'anyone',
    summary: 'Wait',
    response: z.object({ done: z.boolean() }),
    handler: async () => {
      started.resolve()
      await gate.promise
      return { done: true }
    },
  })
  return { route, started: started.promise, open: gate.resolve }
}

describe('closing a server', () => {
  it('lets a request in flight finish, closes idle connections at once, and takes no new ones', async () => {
    const { route, started, open } = gatedRoute()
    const sample = await startSample({ routes: [route] })
    const idle = TextSocket.tcp(sample.listener.port)
    idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await idle.until('ok')
    const answer = fetch(`${sample.url}/slow`)
    await started
    const closed = sample.listener.close(10_000)
    expect(sample.listener.close(0)).toBe(closed)
    await once(idle.socket, 'end')
    await expect(fetch(`${sample.url}/healthz`)).rejects.toThrow()
    open()
    const response = await answer
    expect([response.status, await response.json()]).toEqual([200, { done: true }])
    expect(response.headers.get('connection')).toBe('close')
    await closed
    await sample.stop()
  })

  it('says so to whoever asks on a connection that is still open', async () => {
    const { route, started, open } = gatedRoute()
    const sample = await startSample({ routes: [route] })
    const client = TextSocket.tcp(sample.listener.port)
    client.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await started
    const closed = sample.listener.close(10_000)
    client.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    open()
    const text = await client.rest()
    expect(text).toContain('{"done":true}')
    client.socket.destroy()
    await closed
    await sample.stop()
  })

  it('cuts what has not finished when the grace is over', async () => {
    const { route, started } = gatedRoute()
    const sample = await startSample({ routes: [route] })
    const answer = fetch(`${sample.url}/slow`)
    await started
    await Promise.all([expect(answer).rejects.toThrow(), sample.listener.close(50)])
    await sample.stop()
  })
})

describe('health', () => {
  it('tells life from readiness', async () => {
    let reason: string | undefined = 'The database is away.'
    const sample = await startSample({ options: { health: { ready: async () => reason } } })
    expect((await fetch(`${sample.url}/healthz`)).status).toBe(200)
    const away = await fetch(`${sample.url}/readyz`)
    expect([away.status, await away.json()]).toEqual([503, { status: 'unavailable', reason }])
    reason = undefined
    const back = await fetch(`${sample.url}/readyz`)
    expect([back.status, await back.json()]).toEqual([200, { status: 'ok' }])
    await sample.stop()
  })

  it('is not ready when the check itself fails', async () => {
    const ready = () => Promise.reject(new Error('boom'))
    const sample = await startSample({ options: { health: { ready } } })
    expect((await fetch(`${sample.url}/readyz`)).status).toBe(503)
    await sample.stop()
  })
})

describe('listening', () => {
  it('fails when the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = { host: '127.0.0.1', port: (taken.address() as { port: number }).port }
    await expect(startSample({ options: { address } })).rejects.toThrow('EADDRINUSE')
    taken.close()
  })

  it('takes over a socket file nobody answers on, but not one in use', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atoll-unix-'))
    const address = { socketPath: join(folder, 'a.sock') }
    const first = await startSample({ options: { address } })
    expect(first.url).toBe(`unix:${address.socketPath}`)
    await expect(startSample({ options: { address } })).rejects.toThrow('EADDRINUSE')
    await first.stop()
    const { spawnSync } = await import('node:child_process')
    const script = `require('net').createServer().listen(${JSON.stringify(address.socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', script])
    const second = await startSample({ options: { address } })
    await second.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('serves what the starter adds, and counts every request', async () => {
    const ended: object[] = []
    let open = 0
    const metrics = {
      requestStarted: () => void open++,
      requestEnded: ({ seconds, ...request }: { seconds: number }) => {
        expect(seconds).toBeGreaterThanOrEqual(0)
        open--
        ended.push(request)
      },
    }
    const extraRoutes = [{ path: '/metrics', handler: async () => ({ contentType: 'text/plain', body: 'up 1\n' }) }]
    const sample = await startSample({ options: { metrics, extraRoutes } })
    const response = await fetch(`${sample.url}/metrics`)
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/plain', 'up 1\n'])
    await (await fetch(`${sample.url}/v1/things/secret-id`)).text()
    await (await fetch(`${sample.url}/nowhere`)).text()
    await expect
      .poll(() => ended)
      .toEqual([
        { service: 'sample', method: 'GET', route: '/metrics', status: 200 },
        { service: 'sample', method: 'GET', route: '/v1/things/:thing_id', status: 401 },
        { service: 'sample', method: 'GET', route: undefined, status: 404 },
      ])
    expect(open).toBe(0)
    await sample.stop()
  })
})

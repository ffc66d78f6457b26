import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { SocketRoute } from '../service.ts'
import { asUser, type Sample, type SampleCallers, startSample } from '../testing/sample-service.ts'

const realtime: SocketRoute<SampleCallers> = {
  path: '/v1/realtime',
  auth: 'user',
  summary: 'Echo messages',
  query: z.object({ model: z.string() }),
  maxMessageBytes: 1000,
  chooseProtocol: (offered) => offered.find((name) => name === 'realtime'),
  open(socket, { caller, query }) {
    socket.send(JSON.stringify({ caller, query }))
    socket.on('message', (data) => {
      if (String(data) === 'throw') throw new Error('a handler of the service failed')
      socket.send(String(data))
    })
  },
}

let sample: Sample
beforeAll(async () => {
  sample = await startSample({ sockets: [realtime] })
})
afterAll(() => sample.stop())

const dial = (path: string, headers: Record<string, string> = asUser, protocols: string[] = []) =>
  new WebSocket(sample.url.replace('http', 'ws') + path, protocols, { headers })

async function refusal(socket: WebSocket): Promise<{ status: number | undefined; body: string; requestId: unknown }> {
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, body, requestId: response.headers['x-request-id'] }
}

describe('a WebSocket route', () => {
  it('opens for a known caller, with the checked query and the chosen subprotocol', async () => {
    const socket = dial('/v1/realtime?model=m', asUser, ['other', 'realtime'])
    const upgraded = once(socket, 'upgrade')
    const [hello] = await once(socket, 'message')
    const [response] = await upgraded
    expect(JSON.parse(hello)).toEqual({ caller: { name: 'ada' }, query: { model: 'm' } })
    expect(response.headers['x-request-id']).toMatch(/^req_/)
    expect(response.headers['x-caller']).toBe('ada')
    expect(socket.protocol).toBe('realtime')
    socket.send('again')
    expect(String((await once(socket, 'message'))[0])).toBe('again')
    socket.close()
    await once(socket, 'close')
  })

  it('picks no subprotocol when none is wanted', async () => {
    const socket = dial('/v1/realtime?model=m')
    await once(socket, 'message')
    expect(socket.protocol).toBe('')
    socket.terminate()
  })

  it('refuses strangers, bad queries, bad handshakes and unknown paths with a JSON error before the upgrade', async () => {
    const stranger = await refusal(dial('/v1/realtime?model=m', {}))
    expect(stranger).toMatchObject({ status: 401, requestId: expect.stringMatching(/^req_/) })
    expect(JSON.parse(stranger.body).error.code).toBe('no_key')
    const badQuery = await refusal(dial('/v1/realtime?modle=m'))
    expect(JSON.parse(badQuery.body).error).toMatchObject({ code: 'invalid_unknown', param: 'modle' })
    expect((await refusal(dial('/v1/nowhere'))).status).toBe(404)
    const handshake = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'short' }
    const { request } = await import('node:http')
    const [response] = await once(
      request(`${sample.url}/v1/realtime?model=m`, { headers: { ...asUser, ...handshake } }).end(),
      'response',
    )
    expect(response.statusCode).toBe(400)
    response.resume()
    const plain = await fetch(`${sample.url}/v1/realtime?model=m`, { headers: asUser })
    expect(plain.status).toBe(400)
  })

  it('closes on a message that is too large', async () => {
    const socket = dial('/v1/realtime?model=m')
    await once(socket, 'message')
    socket.send('x'.repeat(1001))
    expect((await once(socket, 'close'))[0]).toBe(1009)
  })

  it('cuts peers that give no sign of life, and keeps those that do', async () => {
    const quick = await startSample({ sockets: [realtime], options: { timeouts: { pingMs: 50 } } })
    const url = `${quick.url.replace('http', 'ws')}/v1/realtime?model=m`
    const dead = new WebSocket(url, { headers: asUser, autoPong: false })
    const alive = new WebSocket(url, { headers: asUser })
    await Promise.all([once(dead, 'message'), once(alive, 'message')])
    await once(dead, 'close')
    alive.send('still here')
    expect(String((await once(alive, 'message'))[0])).toBe('still here')
    alive.terminate()
    await quick.stop()
  })

  it('is told when the server shuts down', async () => {
    const other = await startSample({ sockets: [realtime] })
    const socket = new WebSocket(`${other.url.replace('http', 'ws')}/v1/realtime?model=m`, { headers: asUser })
    await once(socket, 'message')
    const closed = once(socket, 'close')
    await other.listener.close(5000)
    expect((await closed)[0]).toBe(1001)
    await other.stop()
  })
})

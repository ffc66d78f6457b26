import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { fetchInside } from './fetch-inside.ts'

function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  return fetchInside(() => {
    const [near, far] = duplexPair()
    server.emit('connection', far)
    return near
  })
}

it('sends what it is given, and brings back status, headers and body', async () => {
  const ask = serve(async (request, response) => {
    const { method, url, headers } = request
    const said = { method, url, host: headers.host, key: headers.authorization, body: await text(request) }
    response.writeHead(418, { 'x-said': 'yes' }).end(JSON.stringify(said))
  })
  const headers = { authorization: 'Bearer k' }
  const answer = await ask('https://atoll.test:8080/v1/x?a=1', { method: 'POST', headers, body: '{"ü":1}' })
  expect([answer.status, answer.headers.get('x-said')]).toEqual([418, 'yes'])
  expect(await answer.json()).toEqual({
    ...{ method: 'POST', url: '/v1/x?a=1', host: 'atoll.test:8080', key: 'Bearer k', body: '{"ü":1}' },
  })
})

it('takes an answer without a body', async () => {
  const ask = serve((_, response) => response.writeHead(204).end())
  expect((await ask('http://here/')).status).toBe(204)
})

it('gives the first piece of a stream while the rest is to come, and leaves it when it is told to', async () => {
  const left = Promise.withResolvers<void>()
  const ask = serve((_, response) => {
    response.write('first')
    response.on('close', () => left.resolve())
  })
  const leaving = new AbortController()
  const { body } = await ask('http://here/', { signal: leaving.signal })
  const reader = body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first')
  leaving.abort()
  await left.promise
  await expect(reader?.read()).rejects.toThrow()
})

it('fails at once where the server is closing', async () => {
  const ask = fetchInside(() => {
    const [near, far] = duplexPair()
    far.destroy()
    near.destroy()
    return near
  })
  await expect(ask('http://here/')).rejects.toThrow('closing')
})

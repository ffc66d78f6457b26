import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BodyCut, readBytes, readPieces } from './body-bytes.ts'

const limits = { maxBytes: 1_000_000, idleMs: 5_000 }

it('waits for the last piece to be worked on, though the body has ended and closed meanwhile', async () => {
  const source = Readable.from([Buffer.from('first'), Buffer.from('last')])
  const taken: string[] = []
  await readPieces(source, limits, async (piece) => {
    await pause(50)
    taken.push(piece.toString())
  })
  expect(taken).toEqual(['first', 'last'])
  expect(source.destroyed).toBe(true)
})

it('is cut when it closes before its end', async () => {
  const source = new Readable({ read() {} })
  const read = readPieces(source, limits, () => undefined)
  source.push('half')
  source.destroy()
  await expect(read).rejects.toThrow(BodyCut)
})

it('that came with its head is read before its end is told, and the connection goes on', async () => {
  const states: string[] = []
  const server = createServer(async (request, response) => {
    await undefined
    const read = readBytes(request, limits)
    states.push(`${request.complete} ${request.listenerCount('data')}`)
    response.end(`<${await read}>`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const post = (body: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  let heard = ''
  socket.on('data', (piece) => (heard += piece))
  for (const [round, bodies] of [['one'], ['two', 'three']].entries()) {
    socket.write(bodies.map(post).join(''))
    await expect.poll(() => heard.match(/<\w+>/g)?.length).toBe(round === 0 ? 1 : 3)
  }
  expect(heard.match(/<\w+>/g)).toEqual(['<one>', '<two>', '<three>'])
  expect(states).toEqual(['false 0', 'false 0', 'false 0'])
  socket.destroy()
  server.close()
})

describe('a body that was there before anybody read it', () => {
  const answered = async (maxBytes: number): Promise<string> => {
    const server = createServer(async (request, response) => {
      while (!request.complete) await turn()
      const read = readBytes(request, { ...limits, maxBytes })
      response.end(await read.then(String, (error: Error) => error.constructor.name))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const asked = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'all of it' })
    const text = await asked.text()
    server.close()
    return text
  }

  it('is read at once, all of it', async () => expect(await answered(9)).toBe('all of it'))

  it('is refused when it is too large', async () => expect(await answered(8)).toBe('BodyTooLarge'))
})

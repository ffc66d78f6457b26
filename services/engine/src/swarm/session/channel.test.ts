// Messages between nodes over a connection.
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openChannel } from './channel.ts'

/** How many messages each write has. */
function countedWrites() {
  const writes: number[] = []
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      writes.push(1)
      done()
    },
    writev(chunks, done) {
      writes.push(chunks.length)
      done()
    },
  })
  return { writes, channel: openChannel(socket, () => 1024, { message() {}, closed() {} }), socket }
}

describe('a channel', () => {
  it('writes at once what is said in one moment', async () => {
    const { writes, channel } = countedWrites()
    for (let number = 0; number < 3; number++) channel.send({ number })
    await new Promise(setImmediate)
    channel.send({ number: 3 })
    await new Promise(setImmediate)
    expect(writes).toEqual([3, 1])
  })

  it('sends what was said before its end', async () => {
    const { writes, channel, socket } = countedWrites()
    for (let number = 0; number < 2; number++) channel.send({ number })
    channel.end()
    await new Promise((resolve) => socket.once('finish', resolve))
    expect(writes).toEqual([2])
  })
})

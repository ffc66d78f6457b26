import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { gunzipSync, inflateSync } from 'node:zlib'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, describe, expect, it } from 'vitest'
import { logProblems } from '../drivers.ts'
import { ForwardedContainer } from '../testing/forwarded-container.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function talker(options: Record<string, string>, choices = {}): Promise<ForwardedContainer> {
  const container = new ForwardedContainer(await tempDir(), 'gelf', options, choices)
  closers.push(() => container.forwarding.close())
  return container
}

/** A server that keeps every datagram. */
async function datagramServer(): Promise<{ address: string; heard: Buffer[] }> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  closers.push(() => socket.close())
  const heard: Buffer[] = []
  socket.on('message', (message) => heard.push(message))
  return { address: `udp://127.0.0.1:${socket.address().port}`, heard }
}

describe('a log that goes to a GELF server', () => {
  it('comes in compressed datagrams with what is known of the container', async () => {
    const { address, heard } = await datagramServer()
    const choices = { labels: { tier: 'web', other: 'x' }, env: ['LANG=C'] }
    const options = { 'gelf-address': address, tag: 't/{{.Name}}', labels: 'tier', env: 'LANG' }
    const container = await talker(options, choices)
    await container.start()
    container.write('out ✓\n')
    container.write('\n')
    container.write('err\n', 'stderr')
    await expect.poll(() => heard.length).toBe(2)
    const [out, err] = heard.map((bytes) => JSON.parse(gunzipSync(bytes).toString()))
    expect(out).toMatchObject({
      ...{ version: '1.1', host: hostname(), short_message: 'out ✓', level: 6 },
      ...{ timestamp: Date.parse('2026-11-15T10:00:00Z') / 1000, _container_id: container.id },
      ...{ _container_name: 'talker', _image_name: 'busybox', _tag: 't/talker', _tier: 'web', _LANG: 'C' },
    })
    expect(out).not.toHaveProperty('_other')
    expect(err).toMatchObject({ short_message: 'err', level: 3 })
  })

  it('comes in numbered pieces when a message is long', async () => {
    const { address, heard } = await datagramServer()
    const container = await talker({ 'gelf-address': address, 'gelf-compression-type': 'none' })
    await container.start()
    const long = 'abcdefghij'.repeat(1_000)
    container.say(long)
    await expect.poll(() => heard.length).toBeGreaterThan(7)
    await expect.poll(() => heard.length).toBe(heard[0]?.[11])
    expect(new Set(heard.map((piece) => piece.subarray(0, 10).toString('hex'))).size).toBe(1)
    expect(heard.map((piece) => piece[10])).toEqual(heard.map((_, index) => index))
    const whole = Buffer.concat(heard.map((piece) => piece.subarray(12)))
    expect(JSON.parse(whole.toString()).short_message).toBe(long)
    expect(heard[0]).toHaveLength(1_420)
  })

  it('is compressed as it is asked for', async () => {
    const { address, heard } = await datagramServer()
    const options = { 'gelf-compression-type': 'zlib', 'gelf-compression-level': '9' }
    const container = await talker({ 'gelf-address': address, ...options })
    await container.start()
    container.say('small')
    await expect.poll(() => heard.length).toBe(1)
    expect(JSON.parse(inflateSync(heard[0]!).toString()).short_message).toBe('small')
  })

  it('comes over TCP, each message ended by a NUL byte, and is refused where nobody listens', async () => {
    let heard = ''
    const server = createServer((socket) => socket.on('data', (bytes) => (heard += bytes))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const container = await talker({ 'gelf-address': `tcp://127.0.0.1:${port}` })
    await container.start()
    container.say('one', 'two')
    await expect.poll(() => heard.split('\0').length).toBe(3)
    const messages = heard.split('\0').slice(0, 2)
    expect(messages.map((text) => JSON.parse(text).short_message)).toEqual(['one', 'two'])
    server.close()
    const [refused] = [await talker({ 'gelf-address': 'tcp://127.0.0.1:1' })]
    await expect(refused.start()).rejects.toThrow(
      'failed to initialize logging driver: gelf: cannot connect to GELF endpoint: dial tcp 127.0.0.1:1: connect: connection refused',
    )
  })

  it.each([
    [{}, 'gelf-address is a required parameter'],
    [{ 'gelf-address': 'http://x:1' }, 'gelf: endpoint needs to be TCP or UDP'],
    [{ 'gelf-address': 'udp://x' }, 'gelf: please provide gelf-address as proto://host:port'],
    [{ 'gelf-address': 'udp://x:1', 'gelf-compression-type': 'lz4' }, 'unknown value "lz4"'],
    [{ 'gelf-address': 'udp://x:1', 'gelf-compression-level': '10' }, 'unknown value "10"'],
    [{ 'gelf-address': 'tcp://x:1', 'gelf-compression-type': 'gzip' }, 'compression is only supported on UDP'],
    [{ 'gelf-address': 'udp://x:1', 'gelf-tcp-max-reconnect': '3' }, '"gelf-tcp-max-reconnect" is only valid for TCP'],
    [{ 'gelf-address': 'tcp://x:1', 'gelf-tcp-reconnect-delay': '-1' }, 'must be a positive integer'],
    [{ 'gelf-address': 'udp://x:1', odd: '1' }, "unknown log opt 'odd' for gelf log driver"],
  ])('refuses %o', (Config, words) => {
    expect(logProblems({ Type: 'gelf', Config: Config as Record<string, string> })).toEqual([
      expect.stringContaining(words),
    ])
  })
})

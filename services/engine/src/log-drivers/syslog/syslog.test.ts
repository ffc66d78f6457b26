import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, describe, expect, it } from 'vitest'
import { ForwardedContainer } from '../testing/forwarded-container.ts'
import { type SyslogFormat, syslogMessage } from './message.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function talker(options: Record<string, string>): Promise<ForwardedContainer> {
  const container = new ForwardedContainer(await tempDir(), 'syslog', options)
  closers.push(() => container.forwarding.close())
  return container
}

/** What comes over connections to a port or a path. */
async function streamServer(place: object) {
  const heard = { text: '' }
  const server = createServer((socket) => socket.on('data', (bytes) => (heard.text += bytes))).listen(place)
  await once(server, 'listening')
  closers.push(() => server.close())
  return { heard, server }
}

describe('a log that goes to a syslog server', () => {
  it('is written in the form that is asked for', () => {
    const line = { log: 'hello', stream: 'stderr', time: '2026-11-05T22:01:13.123456789Z' } as const
    const source = { facility: 3, hostname: 'host', tag: 'a b', processId: 7 }
    const form = (format: SyslogFormat) => syslogMessage(line, { ...source, format })
    expect(form('unix')).toBe('<27>Nov  5 22:01:13 a b[7]: hello\n')
    expect(form('rfc3164')).toBe('<27>Nov  5 22:01:13 host a b[7]: hello\n')
    expect(form('rfc5424')).toBe('<27>1 2026-11-05T22:01:13Z host a_b 7 a_b - hello\n')
    expect(form('rfc5424micro')).toBe('<27>1 2026-11-05T22:01:13.123456Z host a_b 7 a_b - hello\n')
  })

  it('comes over TCP', async () => {
    const { heard, server } = await streamServer({ port: 0, host: '127.0.0.1' })
    const { port } = server.address() as { port: number }
    const options = { 'syslog-format': 'rfc5424', 'syslog-facility': 'local0', tag: '{{.Name}}' }
    const container = await talker({ 'syslog-address': `tcp://127.0.0.1:${port}`, ...options })
    await container.start()
    container.write('out\n')
    container.write('err\n', 'stderr')
    await expect.poll(() => heard.text.split('\n').length).toBe(3)
    const rest = `1 2026-11-15T10:00:00Z ${hostname()} talker ${process.pid} talker -`
    expect(heard.text).toBe(`<134>${rest} out\n<131>${rest} err\n`)
  })

  it('comes over a socket of this machine, and refuses to start when nobody listens there', async () => {
    const path = join(await tempDir(), 's')
    const container = await talker({ 'syslog-address': `unix://${path}` })
    await expect(container.start()).rejects.toThrow(`dial unix ${path}: connect: no such file or directory`)
    const { heard } = await streamServer({ path })
    await container.start()
    container.say('there')
    await expect.poll(() => heard.text).toContain(': there\n')
  })

  it('comes in datagrams, and does not mind when nobody is there', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const { port } = socket.address()
    const container = await talker({ 'syslog-address': `udp://127.0.0.1:${port}` })
    await container.start()
    const first = once(socket, 'message')
    container.say('one')
    expect(String((await first)[0])).toMatch(/^<30>Nov 15 10:00:00 [0-9a-f]{12}\[\d+\]: one\n$/)
    await new Promise<void>((resolve) => socket.close(resolve))
    container.say('into', 'the', 'void')
    await expect.poll(() => container.position?.offset).toBe(readFileSync(container.logPath).length)
    expect(container.warnings).toEqual([])
  })
})

import { readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ForwardServer } from './testing/forward-server.ts'
import { ForwardedContainer } from './testing/forwarded-container.ts'

let folder: string
beforeAll(async () => {
  folder = await tempDir()
})

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function receiver(address: string | number = 0): Promise<ForwardServer> {
  const server = await new ForwardServer(address).listen()
  closers.push(() => server.close())
  return server
}

function talker(options: Record<string, string>, choices = {}): ForwardedContainer {
  const container = new ForwardedContainer(folder, 'fluentd', { 'fluentd-retry-wait': '20ms', ...options }, choices)
  closers.push(() => container.forwarding.close())
  return container
}

const at = ({ port }: ForwardServer) => ({ 'fluentd-address': `127.0.0.1:${port}` })
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`)
const sizeOf = (container: ForwardedContainer) => readFileSync(container.logPath).length

describe('a log that goes to a receiver of the Forward protocol', () => {
  it('has a tag, the time of each line, and what the options name', async () => {
    const server = await receiver(join(folder, 'f.sock'))
    const options = {
      'fluentd-address': `unix://${folder}/f.sock`,
      'fluentd-sub-second-precision': 'true',
      ...{ tag: 'app.{{.Name}}', labels: 'tier', env: 'LANG' },
    }
    const container = talker(options, { labels: { tier: 'web', other: 'x' }, env: ['LANG=C', 'HOME=/'] })
    await container.start()
    container.write('out\n')
    container.write('err ✓\n', 'stderr')
    await server.until(({ events }) => events.length === 2)
    const common = { container_id: container.id, container_name: '/talker', tier: 'web', LANG: 'C' }
    const seconds = Date.parse('2026-11-15T10:00:00Z') / 1000
    expect(server.events).toEqual([
      { tag: 'app.talker', time: { seconds, nanoseconds: 789 }, record: { ...common, source: 'stdout', log: 'out' } },
      {
        tag: 'app.talker',
        time: { seconds, nanoseconds: 1_789 },
        record: { ...common, source: 'stderr', log: 'err ✓' },
      },
    ])
    container.rename('newcomer')
    container.say('renamed')
    await server.until(({ events }) => events.length === 3)
    expect(server.events[2]?.record.container_name).toBe('/newcomer')
  })

  it('has whole seconds and the short id unless told', async () => {
    const server = await receiver()
    const container = talker(at(server))
    await container.start()
    container.say('x')
    await server.until(({ events }) => events.length === 1)
    const { tag, time, chunk } = server.events[0]!
    expect([tag, time, chunk]).toEqual([
      container.id.slice(0, 12),
      Date.parse('2026-11-15T10:00:00Z') / 1000,
      undefined,
    ])
  })

  it('refuses to start when nobody listens, and starts all the same when it may wait', async () => {
    const server = await receiver()
    await server.close()
    await expect(talker(at(server)).start()).rejects.toMatchObject({
      status: 500,
      message: `failed to create task for container: failed to initialize logging driver: dial tcp 127.0.0.1:${server.port}: connect: connection refused`,
    })
    await expect(talker({ 'fluentd-address': `unix://${folder}/nobody` }).start()).rejects.toThrow('no such file')
    const patient = [talker({ ...at(server), 'fluentd-async': 'true' })]
    patient.push(talker({ ...at(server), 'fluentd-async-connect': 'true' }))
    for (const container of patient) {
      await container.start()
      container.say('early')
    }
    await server.listen()
    await server.until(({ events }) => events.length === 2)
    expect(server.logs).toEqual(['early', 'early'])
  })

  it('is delivered only when the receiver says so, and sent again until then under the same chunk', async () => {
    const server = await receiver()
    server.acknowledges = false
    const container = talker({ ...at(server), 'fluentd-request-ack': 'true', 'fluentd-read-timeout': '50ms' })
    await container.start()
    container.say('once')
    await server.until(({ chunks }) => chunks.length === 3)
    expect(new Set(server.chunks).size).toBe(1)
    expect(container.position).toBeUndefined()
    server.acknowledges = true
    const { length } = server.chunks
    await server.until(({ chunks }) => chunks.length > length)
    await expect.poll(() => container.position?.offset).toBe(sizeOf(container))
    container.say('next')
    await server.until(({ logs }) => logs.at(-1) === 'next')
    expect(new Set(server.chunks).size).toBe(2)
  })

  it('is complete and in order though the receiver goes away again and again', async () => {
    const server = await receiver()
    const container = talker({ ...at(server), 'fluentd-request-ack': 'true' })
    await container.start()
    for (let round = 0; round < 5; round++) {
      container.say(...numbered(round * 100, round * 100 + 50))
      await server.until(({ logs }) => logs.includes(`line ${round * 100}`))
      await server.close()
      container.say(...numbered(round * 100 + 50, round * 100 + 100))
      await expect.poll(() => container.warnings.length).toBe(round + 1)
      await server.listen()
    }
    await server.until(({ logs }) => logs.at(-1) === 'line 499')
    expect([...new Set(server.logs)]).toEqual(numbered(0, 500))
  })

  it('goes on where it was when the engine is gone for a while, through rotated and compressed files', async () => {
    const server = await receiver()
    const container = talker({ ...at(server), 'fluentd-request-ack': 'true' })
    await container.start()
    container.say(...numbered(0, 10))
    await server.until(({ events }) => events.length === 10)
    await expect.poll(() => container.position?.offset).toBe(sizeOf(container))
    container.forwarding.close()
    container.say(...numbered(10, 20))
    const path = container.logPath
    writeFileSync(`${path}.1.gz`, gzipSync(readFileSync(path)))
    unlinkSync(path)
    container.say(...numbered(20, 30))
    renameSync(`${path}.1.gz`, `${path}.2.gz`)
    renameSync(path, `${path}.1`)
    container.say(...numbered(30, 40))
    container.newForwarding().resume([{ id: container.id } as never])
    await server.until(({ events }) => events.length >= 40)
    expect(server.logs).toEqual(numbered(0, 40))
    expect(container.warnings).toEqual([])
  })

  it('says so when lines were rotated away before they could be delivered, and goes on with the oldest', async () => {
    const server = await receiver()
    const container = talker(at(server))
    await container.start()
    container.say('first')
    await expect.poll(() => container.position?.offset).toBeGreaterThan(0)
    container.forwarding.close()
    rmSync(container.logPath)
    container.say('later')
    container.newForwarding().resume([{ id: container.id } as never])
    await server.until(({ events }) => events.length === 2)
    expect(server.logs).toEqual(['first', 'later'])
    expect(container.warnings).toEqual(['Lines of a log were rotated away before they could be delivered'])
  })

  it('tells pieces of a long line, also when the engine is another one in the middle of it', async () => {
    const server = await receiver()
    const container = talker(at(server))
    const piece = 'x'.repeat(16 * 1024)
    await container.start()
    container.write(piece)
    await expect.poll(() => container.position).toBeDefined()
    container.forwarding.close()
    container.newForwarding().resume([{ id: container.id } as never])
    container.write(piece)
    container.write('end\n')
    container.write('without a line end')
    await server.until(({ events }) => events.length === 4)
    const { partial_id: id } = server.events[0]!.record
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(server.events.slice(0, 3).map(({ record }) => record)).toMatchObject(
      ['false', 'false', 'true'].map((last, index) => ({
        ...{ partial_message: 'true', partial_id: id, partial_ordinal: String(index + 1), partial_last: last },
      })),
    )
    expect(server.events[3]!.record).not.toHaveProperty('partial_id')
  })

  it('gives lines up after the retries that it may make, and delivers later ones', async () => {
    const server = await receiver()
    await server.close()
    const container = talker({ ...at(server), 'fluentd-async': 'true', 'fluentd-max-retries': '2' })
    await container.start()
    container.say('lost')
    await expect.poll(() => container.warnings).toContain('1 lines of a log are given up')
    await server.listen()
    container.say('kept')
    await server.until(({ events }) => events.length > 0)
    expect(server.logs).toEqual(['kept'])
  })

  it('has the last lines of a container that is removed, and holds up no removal when nobody listens', async () => {
    const server = await receiver()
    const [heard, unheard] = [talker(at(server)), talker({ ...at(server), 'fluentd-retry-wait': '1h' })]
    for (const container of [heard, unheard]) await container.start()
    heard.say(...numbered(0, 5_000))
    heard.end()
    await heard.remove()
    expect(server.logs).toEqual(numbered(0, 5_000))
    await server.close()
    unheard.say('into the void')
    await expect.poll(() => unheard.warnings.length).toBe(1)
    unheard.end()
    await unheard.remove()
  })

  it('takes no more memory than a piece of the log while the receiver takes nothing', async () => {
    const server = await receiver()
    server.acknowledges = false
    const container = talker({ ...at(server), 'fluentd-request-ack': 'true', 'fluentd-buffer-limit': '10' })
    writeFileSync(
      container.logPath,
      `{"log":"${'x'.repeat(1_000)}\\n","stream":"stdout","time":"2026-11-15T10:00:00Z"}\n`.repeat(30_000),
    )
    const before = process.memoryUsage().arrayBuffers
    await container.start()
    await server.until(({ events }) => events.length > 0)
    expect(server.events).toHaveLength(10)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
  })
})

// Logs that go to the journal: a real one, on the machine of the engine.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { containerFields, journalEntry } from './entry.ts'

const program = '/usr/lib/systemd/systemd-journald'
let engine: WholeEngine

beforeAll(async () => {
  engine = await startWholeEngine()
  // The machine's own, should it have one, stays out of it.
  for (const place of ['/run/systemd', '/run/log']) {
    await engine.host.run('sh', ['-c', `mkdir -p ${place} && mount -t tmpfs tmpfs ${place}`])
  }
}, 120_000)
afterAll(() => engine?.stop())

const settings = (script: string, Config: Record<string, string> = {}) => ({
  Cmd: ['sh', '-c', script],
  Labels: { 'my.tier': 'web' },
  HostConfig: { LogConfig: { Type: 'journald', Config } },
})

describe('a container whose log goes to the journal', () => {
  it('does not start where there is none', async () => {
    await expect(engine.run('1.47', 'nowhere', settings('true'))).rejects.toThrow(
      /500.*failed to initialize logging driver: journald is not enabled on this host/,
    )
  })

  it.skipIf(!existsSync(program))(
    'is found there by its name and by what the options name',
    async () => {
      await engine.host.run('mkdir', ['-p', '/run/systemd/journal'])
      await engine.host.spawn(program)
      await expect.poll(async () => (await engine.host.run('test', ['-S', '/run/systemd/journal/socket'])).code).toBe(0)
      const script = 'echo out; echo err >&2; head -c 20000 /dev/zero | tr "\\0" x; echo; sleep 3600'
      const id = await engine.run('1.47', 'talker', settings(script, { tag: 't/{{.Name}}', labels: 'my.tier' }))
      const read = async (): Promise<Record<string, string>[]> => {
        const { stdout } = await engine.host.run('journalctl', [
          'CONTAINER_NAME=talker',
          '-o',
          'json',
          '--no-pager',
          '-a',
        ])
        return stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      }
      await expect.poll(async () => (await read()).length, { timeout: 20_000 }).toBe(4)
      const byMessage = (text: string) => read().then((all) => all.find(({ MESSAGE }) => MESSAGE?.startsWith(text)))
      expect(await byMessage('out')).toMatchObject({
        ...{ PRIORITY: '6', CONTAINER_ID_FULL: id, CONTAINER_ID: id.slice(0, 12), IMAGE_NAME: 'busybox' },
        ...{ CONTAINER_TAG: 't/talker', SYSLOG_IDENTIFIER: 't/talker', MY_TIER: 'web' },
      })
      expect(await byMessage('err')).toMatchObject({ PRIORITY: '3' })
      expect(await byMessage('xxx')).toMatchObject({
        CONTAINER_PARTIAL_MESSAGE: 'true',
        CONTAINER_PARTIAL_ORDINAL: '1',
      })
      expect((await engine.call('GET', '/containers/talker/logs?stdout=1')).status).toBe(200)
    },
    60_000,
  )
})

describe('an entry of the journal', () => {
  it('has values with line ends behind their length, and fields that the options cannot replace', () => {
    const container = {
      ...{ id: 'a'.repeat(64), name: 'web', imageName: 'busybox', imageId: 'sha256:b' },
      config: { Labels: { container_name: 'other', _x: '1' } },
      hostConfig: { LogConfig: { Config: { labels: 'container_name,_x' } } },
    } as unknown as Parameters<typeof containerFields>[0]
    expect(containerFields(container)).toMatchObject({ CONTAINER_NAME: 'web', X: '1' })
    const entry = journalEntry({ log: 'a\nb', stream: 'stderr', time: '2026-11-15T10:00:00.000000000Z' }, { A: 'b' })
    expect(entry.toString('latin1')).toBe(
      'A=b\nSYSLOG_TIMESTAMP=2026-11-15T10:00:00.000000000Z\nPRIORITY=3\nMESSAGE\n\x03\0\0\0\0\0\0\0a\nb\n',
    )
  })
})

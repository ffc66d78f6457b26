// Logs that go elsewhere, with the docker CLI and a whole engine.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ForwardServer } from '@atoll/engine/log-drivers/testing/forward-server'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { runToEnd } from './run-to-end.ts'

type Receiver = typeof import('@atoll/engine/log-drivers/testing/forward-receiver')

const lacks = lacking()
let server: EngineServer
let receiver: ForwardServer
let client: EngineClient

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  client = new EngineClient(server.socketPath)
  receiver = await new ForwardServer(join(server.folder, 'f.sock')).listen()
}, 120_000)

afterAll(async () => {
  client?.close()
  await receiver?.close()
  await server?.stop()
}, 60_000)

const docker = (...args: string[]) => runToEnd('docker', args, { env: server.env, timeoutMs: 60_000 })
const toReceiver = () => ['--log-driver', 'fluentd', '--log-opt', `fluentd-address=unix://${server.folder}/f.sock`]
const logsOf = (id: string) =>
  receiver.events.filter(({ record }) => record.container_id === id).map(({ record }) => record.log ?? '')

describe.skipIf(lacks.length > 0)('docker run --log-driver fluentd', { timeout: 60_000 }, () => {
  it('sends what a container says, also its last words when it is removed at its end, and docker logs still works', async () => {
    const { code } = await docker(
      'run',
      '--rm',
      ...toReceiver(),
      '--log-opt',
      'tag=t/{{.Name}}',
      '--name',
      'quick',
      'busybox',
      'echo',
      'bye',
    )
    expect(code).toBe(0)
    await receiver.until(({ events }) => events.length > 0)
    expect(receiver.events[0]).toMatchObject({ tag: 't/quick', record: { container_name: '/quick', log: 'bye' } })
    const run = await docker('run', '-d', ...toReceiver(), 'busybox', 'sh', '-c', 'echo out; echo err >&2')
    const id = run.stdout.trim()
    await receiver.until(() => logsOf(id).length === 2)
    const { stdout, stderr } = await docker('logs', id)
    expect([stdout, stderr]).toEqual(['out\n', 'err\n'])
    const hidden = await docker(
      'run',
      '-d',
      ...toReceiver(),
      '--log-opt',
      'cache-disabled=true',
      'busybox',
      'echo',
      'x',
    )
    expect((await docker('logs', hidden.stdout.trim())).stderr).toContain('does not support reading')
  })

  it('ENG-136 ENG-137 does not start when nobody listens, unless the receiver may come later', async () => {
    const refused = await docker('run', '--log-driver', 'fluentd', 'busybox', 'true')
    expect(refused.code).toBe(125)
    expect(refused.stderr).toContain(
      'failed to initialize logging driver: dial tcp 127.0.0.1:24224: connect: connection refused',
    )
    for (const name of ['fluentd-async', 'fluentd-async-connect']) {
      const run = await docker(
        'run',
        '-d',
        '--log-driver',
        'fluentd',
        '--log-opt',
        `${name}=true`,
        'busybox',
        'echo',
        name,
      )
      expect(run.code, run.stderr).toBe(0)
    }
    const module = '../../services/engine/src/log-drivers/testing/forward-receiver.ts'
    const late = await server.host.module<Receiver>(new URL(module, import.meta.url))
    await late.open(24_224)
    const events = await late.received(2)
    expect(events.map(({ record }) => record.log).sort()).toEqual(['fluentd-async', 'fluentd-async-connect'])
  })

  it('ENG-138 loses no line when the engine is killed in the middle, nor when the receiver is away', async () => {
    const script = 'i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.1; done; true'
    const options = ['--log-opt', 'fluentd-request-ack=true', '--log-opt', 'fluentd-retry-wait=50ms']
    const { stdout } = await docker('run', '-d', ...toReceiver(), ...options, 'busybox', 'sh', '-c', script)
    const id = stdout.trim()
    await receiver.until(() => logsOf(id).length >= 500)
    await server.end('SIGKILL')
    await server.start()
    const seen = logsOf(id).length
    await receiver.until(() => logsOf(id).length > seen)
    await receiver.close()
    await server.end('SIGKILL')
    await receiver.listen()
    await server.start()
    await receiver.until(() => logsOf(id).includes('2999'))
    expect([...new Set(logsOf(id))]).toEqual(Array.from({ length: 3_000 }, (_, n) => String(n)))
  })

  it('ENG-052 ENG-053 lists exactly the drivers that work, and refuses others in words', async () => {
    const { Plugins } = await client.ask<{ Plugins: { Log: string[] } }>('GET', '/v1.47/info')
    const journal = existsSync('/run/systemd/journal/socket') ? ['journald'] : []
    expect(Plugins.Log).toEqual(['fluentd', 'gelf', ...journal, 'json-file', 'local', 'none', 'syslog'])
    const options: Record<string, string[]> = {
      fluentd: toReceiver().slice(2),
      gelf: ['--log-opt', 'gelf-address=udp://127.0.0.1:12201'],
      syslog: ['--log-opt', 'syslog-address=udp://127.0.0.1:5140'],
    }
    for (const driver of Plugins.Log) {
      const run = await docker(
        'run',
        '--rm',
        '--log-driver',
        driver,
        ...(options[driver] ?? []),
        'busybox',
        'echo',
        'hi',
      )
      expect([driver, run.code, run.stdout]).toEqual([driver, 0, 'hi\n'])
    }
    const create = (...args: string[]) => docker('create', ...args, 'busybox', 'true')
    const plugin = await create('--log-driver', 'acme/logger:1')
    expect(plugin.stderr).toContain("logger: no log driver named 'acme/logger:1' is registered")
    expect((await create('--log-opt', 'odd=1')).stderr).toContain("unknown log opt 'odd' for json-file log driver")
  })
})

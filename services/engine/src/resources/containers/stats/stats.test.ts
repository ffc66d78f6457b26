import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StreamingEngine, startStreamingEngine } from '../../../streams/testing/streaming-engine.ts'
import { Stats } from './schema.ts'

let engine: StreamingEngine
let id: string
beforeAll(async () => {
  engine = await startStreamingEngine()
  id = await engine.create()
  await engine.run(id, 'while :; do sleep 0.01; done')
})
afterAll(() => engine.close())

const once$ = async (query: string, version = '') => {
  const { status, type, body } = await engine.ask('GET', `${version}/containers/${id}/stats?${query}`)
  expect([status, type]).toEqual([200, 'application/json'])
  return JSON.parse(body.toString())
}

async function lines(response: IncomingMessage, count: number): Promise<Stats[]> {
  let text = ''
  response.on('data', (chunk) => {
    text += chunk
  })
  while (text.split('\n').length <= count) await once(response, 'data')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('GET /containers/:id/stats', () => {
  it('answers one-shot at once, with nothing to compare with', async () => {
    const stats = await once$('stream=false&one-shot=true')
    expect(Stats.parse(stats)).toEqual(stats)
    expect(stats.preread).toBe('0001-01-01T00:00:00Z')
    expect(stats.precpu_stats.system_cpu_usage).toBeUndefined()
    expect(stats).toMatchObject({ id, name: `/${engine.records.get(id)!.name}`, num_procs: 0 })
    expect(stats.memory_stats.limit).toBeGreaterThan(0)
  })

  // Each waits for a second look: together they wait once.
  it.concurrent('compares two looks without stream', async () => {
    const stats = await once$('stream=0')
    const { cpu_stats: cpu, precpu_stats: before } = stats
    expect(cpu.cpu_usage.total_usage).toBeGreaterThan(before.cpu_usage.total_usage)
    expect(cpu.system_cpu_usage).toBeGreaterThan(before.system_cpu_usage)
    expect(cpu.online_cpus).toBeGreaterThan(0)
    if (cpu.cpu_usage.percpu_usage) expect(cpu.cpu_usage.percpu_usage).toHaveLength(cpu.online_cpus)
    expect(stats.pids_stats.current).toBeGreaterThan(0)
    expect(Object.keys(stats.networks)).toEqual(['eth0', 'eth1'])
    expect(stats.preread < stats.read).toBe(true)
    expect(Object.keys(stats.blkio_stats)).toHaveLength(8)
  })

  it.concurrent('tells older callers what their version had, also in a stream', async () => {
    const { response, sent } = await engine.open(`/v1.20/containers/${id}/stats`)
    const [stats] = await lines(response, 1)
    sent.destroy()
    expect(stats).toMatchObject({ network: { rx_bytes: 2, tx_packets: 8 } })
    for (const missing of ['networks', 'pids_stats']) expect(stats).not.toHaveProperty(missing)
    expect(stats?.cpu_stats).not.toHaveProperty('online_cpus')
    expect(await once$('stream=0&one-shot=1', '/v1.22')).not.toHaveProperty('pids_stats')
  })

  it.concurrent('tells an empty sample of a container that does not run, once, and goes on when it runs', async () => {
    const resting = await engine.create()
    const { body } = await engine.ask('GET', `/containers/${resting}/stats?stream=0`)
    expect(Stats.parse(JSON.parse(body.toString()))).toMatchObject({ read: '0001-01-01T00:00:00Z', pids_stats: {} })
    const { response, sent } = await engine.open(`/containers/${resting}/stats`)
    const first = await lines(response, 1)
    expect(first[0]?.read).toBe('0001-01-01T00:00:00Z')
    const container = await engine.run(resting, 'exec sleep 60')
    const [next] = await lines(response, 1)
    expect(next?.read).toMatch(/^20/)
    sent.destroy()
    await container.kill()
  })

  it('streams a look a second to all readers from one sampler, and stops when they leave', async () => {
    const path = `/containers/${id}/stats`
    const readers = await Promise.all([engine.open(path), engine.open(path), engine.open(path)])
    const got = await Promise.all(readers.map(({ response }) => lines(response, 2)))
    expect(new Set(got.map(([, second]) => second?.read)).size).toBe(1)
    expect(got[0]?.[1]?.precpu_stats).toEqual(got[0]?.[0]?.cpu_stats)
    for (const { sent } of readers) sent.destroy()
    await expect.poll(() => engine.streaming.stats.sampled).toBe(0)
  })

  it('ends when the container is removed, and answers 404 for one that is not there', async () => {
    const gone = await engine.create()
    const { response } = await engine.open(`/containers/${gone}/stats`)
    response.resume()
    engine.events.emit('container', 'destroy', gone)
    await once(response, 'close')
    expect((await engine.ask('GET', '/containers/nobody/stats')).status).toBe(404)
  })
})

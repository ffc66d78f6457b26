import { afterEach, describe, expect, it } from 'vitest'
import { eventTime } from './event-time.ts'
import { startSystem, type TestSystem } from './testing/start-system.ts'

const started: TestSystem[] = []
const leaving: AbortController[] = []
afterEach(async () => {
  for (const leave of leaving.splice(0)) leave.abort()
  for (const system of started.splice(0)) await system.stop()
})

async function start(): Promise<TestSystem> {
  const system = await startSystem()
  started.push(system)
  return system
}

interface Told {
  Type: string
  Action: string
  Actor: { ID: string; Attributes: Record<string, string> }
  scope?: string
  time: number
  timeNano?: number
  status?: string
}

/** Reads a stream of events line by line. */
async function follow({ url }: TestSystem, query = '', version = '1.47') {
  const leave = new AbortController()
  leaving.push(leave)
  const response = await fetch(`${url}/v${version}/events${query}`, { signal: leave.signal })
  expect(response.status).toBe(200)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Told | undefined> => {
    while (!text.includes('\n')) {
      const { done, value = '' } = (await reader?.read()) ?? { done: true }
      if (done) return undefined
      text += value
    }
    const end = text.indexOf('\n')
    const line = text.slice(0, end)
    text = text.slice(end + 1)
    return JSON.parse(line)
  }
  const rest = async (): Promise<Told[]> => {
    const all: Told[] = []
    for (let event = await next(); event !== undefined; event = await next()) all.push(event)
    return all
  }
  return { response, next, rest, leave: () => leave.abort() }
}

const filter = (filters: object): string => `filters=${encodeURIComponent(JSON.stringify(filters))}`
const until = (): string => `until=${(Date.now() / 1000 + 0.001).toFixed(3)}`

/** Of what has happened: `Type Action`. */
async function past(system: TestSystem, filters: object, version?: string): Promise<string[]> {
  const { rest } = await follow(system, `?since=1&${until()}&${filter(filters)}`, version)
  return (await rest()).map(({ Type, Action }) => `${Type} ${Action}`)
}

function happen({ events }: TestSystem): void {
  events.emit('container', 'create', 'c1aa', { name: 'web', image: 'busybox:latest', tier: 'front' })
  events.emit('container', 'exec_create: sh -c true', 'c1aa', { name: 'web', image: 'busybox:latest', tier: 'front' })
  events.emit('container', 'start', 'c2bb', { name: 'db', image: 'host:5000/pg', tier: 'back', 'a.b': '' })
  events.emit('image', 'pull', 'busybox:latest', { name: 'busybox' })
  events.emit('network', 'connect', 'n1', { name: 'net', container: 'c1aa', type: 'bridge' })
  events.emit('volume', 'create', 'data', { driver: 'local' })
  events.emit('daemon', 'reload', 'engine-id', { name: 'host-name' })
}

describe('events', () => {
  it('come as they happen, one JSON line each, with their time', async () => {
    const system = await start()
    const stream = await follow(system)
    expect(stream.response.headers.get('content-type')).toBe('application/json')
    const before = Date.now()
    system.events.emit('container', 'start', 'c1', { name: 'web', image: 'busybox' })
    const event = await stream.next()
    expect(event).toMatchObject({
      ...{ Type: 'container', Action: 'start', scope: 'local', status: 'start', id: 'c1', from: 'busybox' },
      Actor: { ID: 'c1', Attributes: { name: 'web', image: 'busybox' } },
    })
    expect(event?.time).toBe(Math.floor((event?.timeNano ?? 0) / 1e9))
    expect(Math.round((event?.timeNano ?? 0) / 1e6)).toBeGreaterThanOrEqual(before)
    system.events.emit('volume', 'create', 'data')
    expect(await stream.next()).toMatchObject({ Type: 'volume', Action: 'create' })
  })

  it('are filtered by kind and by action', async () => {
    const system = await start()
    happen(system)
    expect(await past(system, { type: ['network', 'volume'] })).toEqual(['network connect', 'volume create'])
    expect(await past(system, { event: { create: true } })).toEqual(['container create', 'volume create'])
    expect(await past(system, { event: ['exec_create'] })).toEqual(['container exec_create: sh -c true'])
    expect(await past(system, { type: ['container'], event: ['start'] })).toEqual(['container start'])
  })

  it('are filtered by what they are about', async () => {
    const system = await start()
    happen(system)
    expect(await past(system, { daemon: ['host-name'] })).toEqual(['daemon reload'])
    expect(await past(system, { daemon: ['engine-id'] })).toEqual(['daemon reload'])
    expect(await past(system, { daemon: ['other'] })).toEqual([])
    expect(await past(system, { label: ['tier=back'] })).toEqual(['container start'])
    expect(await past(system, { label: ['tier=back', 'a.b'] })).toEqual(['container start'])
    expect(await past(system, { label: ['tier=back', 'toString'] })).toEqual([])
    expect(await past(system, { label: ['name=busybox'] })).toEqual(['image pull'])
    expect(await past(system, { container: ['db'] })).toEqual(['container start'])
    expect(await past(system, { container: ['c2'] })).toEqual(['container start'])
    expect(await past(system, { network: ['net'] })).toEqual(['network connect'])
    expect(await past(system, { volume: ['data'] })).toEqual(['volume create'])
    const ofBusybox = ['container create', 'container exec_create: sh -c true', 'image pull']
    expect(await past(system, { image: ['busybox'] })).toEqual(ofBusybox)
    expect(await past(system, { image: ['host:5000/pg'] })).toEqual(['container start'])
  })

  it('are filtered by scope', async () => {
    const system = await start()
    system.events.emit('volume', 'create', 'data')
    expect(await past(system, { scope: ['local'] })).toEqual(['volume create'])
    expect(await past(system, { scope: ['swarm'] })).toEqual([])
  })

  it('are filtered by objects of a swarm', async () => {
    const system = await start()
    for (const type of ['config', 'node', 'secret', 'service'] as const) {
      system.events.emit(type, 'create', `${type}-id`, { name: `my-${type}` })
      expect(await past(system, { [type]: [`my-${type}`] })).toEqual([`${type} create`])
      expect(await past(system, { [type]: ['other'] })).toEqual([])
    }
  })

  it('tell of a reload with what it changed, from 1.24 on', async () => {
    const system = await start()
    const before = await system.system.info()
    expect([before.Labels, before.Debug]).toEqual([[], false])
    const settings = { ...system.settings, labels: ['zone=attic'], isDebugging: true, builder: '2' as const }
    system.system.reload(settings, { name: 'host-name', labels: '["zone=attic"]' })
    const after = await system.system.info()
    expect([after.Labels, after.Debug, system.system.builder]).toEqual([['zone=attic'], true, '2'])
    expect(await past(system, { daemon: ['host-name'] }, '1.24')).toEqual(['daemon reload'])
    expect(await past(system, { event: ['reload'] }, '1.23')).toEqual([])
    expect(system.events.past.at(-1)?.event.Actor).toMatchObject({
      ...{ ID: 'an-engine', Attributes: { labels: '["zone=attic"]' } },
    })
  })

  it('tell prunes and ends of processes only to versions that know them', async () => {
    const system = await start()
    system.events.emit('container', 'prune', '', { reclaimed: '12' })
    system.events.emit('container', 'exec_die', 'c1', { execID: 'e', exitCode: '0' })
    expect(await past(system, {}, '1.41')).toEqual(['container prune', 'container exec_die'])
    expect(await past(system, {}, '1.40')).toEqual(['container exec_die'])
    expect(await past(system, {}, '1.35')).toEqual([])
    const { next } = await follow(system, '?since=1')
    expect((await next())?.Actor.Attributes).toEqual({ reclaimed: '12' })
  })

  it('begin with what was kept since a time, and end at a time', async () => {
    const system = await start()
    happen(system)
    const [, second] = system.events.past
    const digits = String(BigInt(second?.event.timeNano ?? 0))
    const since = `${digits.slice(0, -9)}.${digits.slice(-9)}`
    const stream = await follow(system, `?since=${since}&until=${(Date.now() / 1000 + 0.3).toFixed(3)}`)
    system.events.emit('volume', 'destroy', 'data')
    const actions = (await stream.rest()).map(({ Action }) => Action)
    const kept = ['exec_create: sh -c true', 'start', 'pull', 'connect', 'create', 'reload']
    expect(actions).toEqual([...kept, 'destroy'])
  })

  it('do not begin with the past unless asked, and stop costing anything when the client leaves', async () => {
    const system = await start()
    happen(system)
    const listeners = async () => (await system.system.info()).NEventsListener
    const stream = await follow(system)
    expect(await listeners()).toBe(1)
    system.events.emit('volume', 'destroy', 'data')
    expect((await stream.next())?.Action).toBe('destroy')
    stream.leave()
    while ((await listeners()) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it('end when the engine goes down', async () => {
    const system = await start()
    const stream = await follow(system)
    system.system.close()
    expect(await stream.next()).toBeUndefined()
  })

  it('refuse times and filters that are none, before anything is sent', async () => {
    const { url } = await start()
    const wrong = ['since=yesterday', 'until=1.2.3', 'since=20&until=10', filter({ colour: ['red'] }), 'filters=[1]']
    for (const query of [...wrong, filter({ toString: ['x'] }), `since=${'9'.repeat(300)}`]) {
      const response = await fetch(`${url}/events?${query}`)
      expect(response.status, query).toBe(400)
    }
  })

  it('read times as seconds, as dates and as durations', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(eventTime('since', '1700000000.25', now)).toBe(1_700_000_000.25e9)
    expect(eventTime('since', '2025-12-31T23:59:59Z', now)).toBe((now - 1_000) * 1e6)
    expect(eventTime('since', '1h30m', now)).toBe((now - 5_400_000) * 1e6)
    expect(eventTime('since', '', now)).toBeUndefined()
  })
})

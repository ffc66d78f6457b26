// The events of a whole engine: what really happened to its containers, images, networks and volumes.
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { since, spanOf, versions } from '../../testing/by-version.ts'
import { busybox, startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

interface Told {
  Type: string
  Action: string
  Actor: { ID: string; Attributes: Record<string, string> }
  time: number
  timeNano?: number
  scope?: string
}

let engine: WholeEngine
let id: string

beforeAll(async () => {
  engine = await startWholeEngine()
  const label = encodeURIComponent('LABEL made=here')
  await engine.call('POST', `/images/create?fromSrc=-&repo=labelled&changes=${label}`, busybox())
  await engine.call('POST', '/images/labelled/tag?repo=again')
  id = await engine.run('1.47', 'web', { Labels: { tier: 'front' } })
  await engine.call('POST', '/volumes/create', { Name: 'data' })
  await engine.call('POST', '/networks/create', { Name: 'net' })
  await engine.reload({ labels: ['zone=attic'] })
})
afterAll(() => engine?.stop())

/** What has happened, in one version, and by filters. */
async function past(filters: object = {}, version = '1.47'): Promise<Told[]> {
  const query = `since=1&until=${(Date.now() / 1000 + 0.001).toFixed(3)}`
  const filter = encodeURIComponent(JSON.stringify(filters))
  const { status, body } = await engine.client.call('GET', `/v${version}/events?${query}&filters=${filter}`)
  expect(status).toBe(200)
  const lines = body.toString().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}
const names = (events: Told[]): string[] => events.map(({ Type, Action }) => `${Type} ${Action}`)

/** The versions in which a filter leaves what it names alone. */
async function spanOfFilter(filters: object, left: (events: Told[]) => boolean): Promise<string> {
  const told = new Map<string, Told[]>()
  for (const version of versions) told.set(version, await past(filters, version))
  return spanOf((version) => left(told.get(version) ?? []))
}

describe('events', () => {
  it('ENG-676 ENG-677 come as they happen, one JSON line each, with their time, and nanoseconds from 1.21 on', async () => {
    const stream = await engine.client.open('GET', '/events')
    const before = Date.now()
    const next = new Promise<Told>((resolve) => stream.once('data', (line) => resolve(JSON.parse(String(line)))))
    await engine.call('POST', '/volumes/create', { Name: 'live' })
    const event = await next
    stream.destroy()
    expect(event).toMatchObject({ Type: 'volume', Action: 'create', scope: 'local', Actor: { ID: 'live' } })
    expect(event.time).toBe(Math.floor((event.timeNano ?? 0) / 1e9))
    expect(Math.round((event.timeNano ?? 0) / 1e6)).toBeGreaterThanOrEqual(before)
    for (const version of versions) {
      const events = await past({}, version)
      expect(events.length).toBeGreaterThan(5)
      expect(events.every(({ time }) => time > 1e9)).toBe(true)
      expect(events.every(({ timeNano }) => timeNano !== undefined)).toBe(since('1.21').includes(version))
    }
  })

  it('ENG-670 are filtered by kind and by action', async () => {
    expect(names(await past({ type: ['network', 'volume'], event: ['create'] }))).toEqual([
      ...['volume create', 'network create', 'volume create'],
    ])
    expect(names(await past({ event: { start: true } }))).toEqual(['container start'])
    expect(names(await past({ event: ['start'] }, '1.30'))).toEqual(['container start'])
    expect(names(await past({ type: ['container'], event: ['create', 'start'] }))).toEqual([
      ...['container create', 'container start'],
    ])
    const refused = await engine.call('GET', `/events?filters=${encodeURIComponent('{"colour":["red"]}')}`)
    expect(refused.status).toBe(400)
  })

  it('ENG-668 ENG-669 are filtered by scope from 1.30 on', async () => {
    expect(await spanOfFilter({ scope: ['swarm'] }, (events) => events.length === 0)).toBe('1.30+')
    const all = await past()
    expect(await past({ scope: ['local'] })).toEqual(all)
    expect(await past({ scope: ['local'] }, '1.30')).toEqual(await past({}, '1.30'))
  })

  it('ENG-651 ENG-652 ENG-653 ENG-654 are filtered by objects of a swarm from 1.33 on: here, there are none', async () => {
    for (const kind of ['config', 'node', 'secret', 'service']) {
      expect(await spanOfFilter({ [kind]: ['some'] }, (events) => events.length === 0), kind).toBe('1.33+')
    }
  })

  it('ENG-671 ENG-674 ENG-675 tell of a reload from 1.24 on, found by the name and the id of the engine', async () => {
    const { ID } = (await engine.call('GET', '/info')).body
    for (const daemon of [hostname(), ID]) {
      const [told, ...others] = await past({ daemon: [daemon] })
      expect([names(told ? [told] : []), others]).toEqual([['daemon reload'], []])
      expect(told?.Actor).toMatchObject({ ID, Attributes: { name: hostname(), labels: '["zone=attic"]' } })
      const onlyReload = (events: Told[]) => names(events).join() === 'daemon reload'
      expect(await spanOfFilter({ daemon: [daemon] }, onlyReload)).toBe('1.24+')
    }
    expect(await past({ daemon: ['another'] })).toEqual([])
    expect(await spanOfFilter({}, (events) => names(events).includes('daemon reload'))).toBe('1.24+')
  })

  it('ENG-678 ENG-679 are filtered by labels of images and containers from 1.21 on', async () => {
    const ofContainer = (events: Told[]) => events.length > 0 && events.every(({ Actor }) => Actor.ID === id)
    expect(await spanOfFilter({ label: ['tier=front'] }, ofContainer)).toBe('1.21+')
    expect(names(await past({ label: ['tier'] }))).toEqual(names(await past({ container: ['web'] })))
    const ofImage = (events: Told[]) => events.length > 0 && events.every(({ Type }) => Type === 'image')
    expect(await spanOfFilter({ label: ['made=here'] }, ofImage)).toBe('1.21+')
    expect(await past({ label: ['made=there'] })).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSwarm, hasEtcd } from '../../swarm/testing/start-swarm.ts'
import { inAllVersions, spanOf, spans, versions } from '../../testing/by-version.ts'
import { pastEvents } from '../../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
let id: string
const get = async (path: string) => (await engine.call('GET', path)).body
const filtered = (filters: object, api = '1.47') =>
  get(`/v${api}/nodes?filters=${encodeURIComponent(JSON.stringify(filters))}`)
const update = async (name: string, spec: object, api = '1.47') => {
  const { Spec, Version } = await get(`/nodes/${id}`)
  return engine.call('POST', `/v${api}/nodes/${name}/update?version=${Version.Index}`, { ...Spec, ...spec })
}

beforeAll(async () => {
  if (!hasEtcd) return
  engine = await startWholeEngine({ settings: { labels: ['zone=cellar'] } })
  id = await beginSwarm(engine)
}, 120_000)
afterAll(async () => {
  await engine?.call('POST', '/swarm/leave?force=1')
  await engine?.stop()
}, 60_000)

describe.skipIf(!hasEtcd)('nodes', () => {
  it('ENG-616 ENG-617 tell what they are, their address from 1.25 on and the authority of their swarm from 1.30 on', async () => {
    const [node] = await get('/nodes')
    const { Hostname } = node.Description
    expect(node).toMatchObject({
      ...{ ID: id, Spec: { Role: 'manager', Availability: 'active', Labels: {} } },
      Status: { State: 'ready', Addr: '127.0.0.1' },
      ManagerStatus: { Leader: true, Reachability: 'reachable', Addr: '127.0.0.1:2377' },
      Description: { Platform: { OS: 'linux' }, Engine: { Labels: { zone: 'cellar' } } },
    })
    expect(node.Description.TLSInfo).toEqual((await get('/swarm')).TLSInfo)
    const told = await inAllVersions(engine, '/nodes')
    expect(spans(told, ['0.ID', '0.Status.Addr', '0.Description.TLSInfo.TrustRoot'])).toEqual({
      ...{ '0.ID': 'all', '0.Status.Addr': '1.25+', '0.Description.TLSInfo.TrustRoot': '1.30+' },
    })
    for (const name of [id, id.slice(0, 8), Hostname, 'self']) expect((await get(`/nodes/${name}`)).ID, name).toBe(id)
    expect((await engine.call('GET', '/nodes/nobody')).status).toBe(404)
  })

  it('ENG-618 ENG-619 are changed by id or by name, and only by who has seen the newest version', async () => {
    const { Description, Version } = await get(`/nodes/${id}`)
    expect((await update(id, { Labels: { disk: 'ssd' } })).status).toBe(200)
    expect((await get(`/nodes/${id}`)).Spec.Labels).toEqual({ disk: 'ssd' })
    const renamed = await update(Description.Hostname, { Labels: { disk: 'ssd', rack: '' }, Name: 'first' })
    expect(renamed.status).toBe(200)
    expect((await get('/nodes/first')).Spec).toMatchObject({ Name: 'first', Labels: { disk: 'ssd', rack: '' } })
    expect((await update('first', { Availability: 'pause' }, '1.25')).status).toBe(200)
    expect((await update('first', { Availability: 'active' })).status).toBe(200)
    const late = await engine.call('POST', `/nodes/${id}/update?version=${Version.Index}`, { Role: 'manager' })
    expect([late.status, late.body.message]).toEqual([400, 'update out of sequence'])
    for (const wrong of [{ Availability: 'gone' }, { Role: 'king' }]) expect((await update(id, wrong)).status).toBe(400)
  })

  it('ENG-611 ENG-612 ENG-613 ENG-614 are filtered by their labels, with and without a value, from 1.40 on', async () => {
    const found = async (filters: object) => (await filtered(filters)).length
    expect(await found({ 'node.label': ['disk'] })).toBe(1)
    expect(await found({ 'node.label': ['gpu'] })).toBe(0)
    expect(await found({ 'node.label': ['disk=ssd'] })).toBe(1)
    expect(await found({ 'node.label': { 'disk=tape': true } })).toBe(0)
    expect(await found({ 'node.label!': ['gpu'] })).toBe(1)
    expect(await found({ 'node.label!': ['disk'] })).toBe(0)
    expect(await found({ 'node.label!': ['disk=tape'] })).toBe(1)
    expect(await found({ 'node.label!': ['disk=ssd'] })).toBe(0)
    for (const filters of [{ 'node.label': ['gpu'] }, { 'node.label!': ['disk'] }]) {
      const told = new Map<string, number>()
      for (const version of versions) told.set(version, (await filtered(filters, version)).length)
      expect(spanOf((version) => told.get(version) === 0)).toBe('1.40+')
    }
  })

  it('are filtered by id, name, role, membership and labels of their engines', async () => {
    const cases: [object, number][] = [
      [{ id: [id.slice(0, 5)] }, 1],
      [{ id: ['zzzz'] }, 0],
      [{ name: ['first'] }, 1],
      [{ name: ['other'] }, 0],
      [{ role: ['manager'] }, 1],
      [{ role: ['worker'] }, 0],
      [{ membership: ['accepted'] }, 1],
      [{ membership: ['pending'] }, 0],
      [{ label: ['zone=cellar'] }, 1],
      [{ label: ['zone=attic'] }, 0],
    ]
    for (const [filters, count] of cases) expect(await filtered(filters), JSON.stringify(filters)).toHaveLength(count)
    for (const wrong of [{ colour: ['red'] }, { role: ['king'] }]) {
      expect((await filtered(wrong)).message, JSON.stringify(wrong)).toMatch(/invalid/i)
    }
  })

  it('ENG-615 always have a manager: demoting the last is refused, as a fault until 1.30', async () => {
    const demote = (api: string) => update(id, { Role: 'worker' }, api)
    const refused = await demote('1.31')
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('last manager')])
    expect((await demote('1.30')).status).toBe(500)
    expect((await demote('1.47')).status).toBe(400)
    const removed = await engine.call('DELETE', `/nodes/${id}?force=1`)
    expect([removed.status, removed.body.message]).toEqual([400, expect.stringContaining('must be demoted')])
  })

  it('ENG-661 ENG-662 tell when they come and change, from 1.30 on', async () => {
    const events = (await pastEvents(engine)).filter(({ Actor }) => Actor.ID === id)
    expect(events.map(({ Action }) => Action)).toEqual(['create', ...Array(events.length - 1).fill('update')])
    expect(
      events.find(({ Actor }) => Actor.Attributes['availability.new'] === 'pause')?.Actor.Attributes,
    ).toMatchObject({
      ...{ name: 'first', 'availability.old': 'active' },
    })
    expect(await pastEvents(engine, '1.29')).not.toContainEqual(expect.objectContaining({ Type: 'node' }))
  })
})

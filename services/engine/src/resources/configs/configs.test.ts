import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSwarm, hasEtcd } from '../../swarm/testing/start-swarm.ts'
import { inAllVersions, since, spans } from '../../testing/by-version.ts'
import { pastEvents } from '../../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const get = async (path: string) => (await engine.call('GET', path)).body
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const create = (spec: object, api = '1.47') => engine.call('POST', `/v${api}/configs/create`, spec)

beforeAll(async () => {
  if (!hasEtcd) return
  engine = await startWholeEngine()
  await beginSwarm(engine)
}, 120_000)
afterAll(async () => {
  await engine?.call('POST', '/swarm/leave?force=1')
  await engine?.stop()
}, 60_000)

describe.skipIf(!hasEtcd)('configs', () => {
  it('ENG-655 ENG-656 ENG-657 are created, read again, changed in their labels alone, and removed, and tell of it', async () => {
    const { status, body } = await create({ Name: 'app.conf', Data: base64('port=1'), Labels: { of: 'web' } }, '1.30')
    expect([status, body]).toEqual([201, { ID: expect.any(String) }])
    const config = await get(`/configs/${body.ID}`)
    expect(config.Spec).toEqual({ Name: 'app.conf', Labels: { of: 'web' }, Data: base64('port=1') })
    expect(await get('/configs')).toEqual([config])
    const update = (spec: object) =>
      engine.call('POST', `/configs/app.conf/update?version=${config.Version.Index}`, { ...config.Spec, ...spec })
    expect((await update({ Data: base64('port=2') })).body.message).toBe('only updates to Labels are allowed')
    expect((await update({ Labels: {} })).status).toBe(200)
    expect((await update({ Labels: { late: '' } })).body.message).toBe('update out of sequence')
    expect((await create({ Name: 'app.conf', Data: base64('x') })).status).toBe(409)
    expect((await create({ Name: 'large', Data: base64('x'.repeat(1_024_000)) })).status).toBe(201)
    expect((await get('/configs/large')).Spec.Data).toHaveLength(4 * Math.ceil(1_024_000 / 3))
    expect((await engine.call('DELETE', '/configs/app.conf')).status).toBe(204)
    expect((await engine.call('DELETE', '/configs/app.conf')).status).toBe(404)
    expect((await engine.call('GET', '/v1.29/configs')).status).toBe(404)
    const events = (await pastEvents(engine)).filter(({ Actor }) => Actor.ID === body.ID)
    expect(events.map(({ Action }) => Action)).toEqual(['create', 'update', 'remove'])
    const older = await pastEvents(engine, '1.30')
    expect(older.filter(({ Actor }) => Actor.ID === body.ID)).toEqual([])
  })

  it('ENG-505 ENG-506 may be templates from 1.37 on', async () => {
    const Templating = { Name: 'golang' }
    expect((await create({ Name: 'template', Data: base64('{{.Node.ID}}'), Templating }, '1.37')).status).toBe(201)
    expect((await create({ Name: 'plain', Data: base64('{{.Node.ID}}'), Templating }, '1.36')).status).toBe(201)
    expect((await get('/configs/plain')).Spec).not.toHaveProperty('Templating')
    const told = await inAllVersions(engine, '/configs/template', since('1.30'))
    expect(spans(told, ['Spec.Templating.Name'])).toEqual({ 'Spec.Templating.Name': '1.37+' })
  })

  it('ENG-651 ENG-652 ENG-653 ENG-654 are among the events that can be asked for by name, from 1.33 on', async () => {
    const make = (family: string, body: object) => engine.call('POST', `/${family}/create`, body)
    await make('configs', { Name: 'told', Data: base64('x') })
    await make('secrets', { Name: 'told', Data: base64('x') })
    await make('services', {
      Name: 'told',
      TaskTemplate: { ContainerSpec: { Image: 'busybox' } },
      Mode: { Replicated: { Replicas: 0 } },
    })
    const { ID: node } = await get('/nodes/self')
    const events = async (api: string, filters: object) => {
      const query = `since=1&until=${Date.now() / 1000}&filters=${encodeURIComponent(JSON.stringify(filters))}`
      const { body } = await engine.client.call('GET', `/v${api}/events?${query}`)
      return body
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    }
    for (const [type, name] of [
      ['config', 'told'],
      ['secret', 'told'],
      ['service', 'told'],
      ['node', node],
    ] as const) {
      const found = await events('1.33', { [type]: [name] })
      expect(found.length, type).toBeGreaterThan(0)
      expect(new Set(found.map(({ Type }) => Type)), type).toEqual(new Set([type]))
      expect(await events('1.33', { [type]: ['nobody'] }), type).toEqual([])
      expect((await events('1.32', { [type]: ['nobody'] })).length, type).toBeGreaterThan(0)
    }
    await engine.call('DELETE', '/services/told')
  })

  it('ENG-507 may have a driver with a name and options', async () => {
    const Driver = { Name: 'vault', Options: { path: 'kv/app' } }
    expect((await create({ Name: 'external', Driver })).status).toBe(201)
    expect((await get('/configs/external')).Spec.Driver).toEqual(Driver)
  })
})

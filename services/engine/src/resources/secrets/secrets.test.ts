import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSwarm, hasEtcd } from '../../swarm/testing/start-swarm.ts'
import { inAllVersions, since, spanOf, spans, versions } from '../../testing/by-version.ts'
import { pastEvents } from '../../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const get = async (path: string) => (await engine.call('GET', path)).body
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const create = (spec: object, api = '1.47') => engine.call('POST', `/v${api}/secrets/create`, spec)
const update = async (name: string, spec: object, api = '1.47') => {
  const { Spec, Version } = await get(`/secrets/${name}`)
  return engine.call('POST', `/v${api}/secrets/${name}/update?version=${Version.Index}`, { ...Spec, ...spec })
}

beforeAll(async () => {
  if (!hasEtcd) return
  engine = await startWholeEngine()
  await beginSwarm(engine)
}, 120_000)
afterAll(async () => {
  await engine?.call('POST', '/swarm/leave?force=1')
  await engine?.stop()
}, 60_000)

describe.skipIf(!hasEtcd)('secrets', () => {
  it('ENG-491 ENG-492 ENG-493 ENG-494 ENG-495 ENG-664 ENG-665 ENG-666 are created, listed, inspected, changed and removed from 1.25 on, and tell of it', async () => {
    const made = await create({ Name: 'first', Data: base64('s3cr3t'), Labels: { of: 'db' } }, '1.25')
    expect([made.status, made.body]).toEqual([201, { ID: expect.stringMatching(/^[a-z0-9]{25}$/) }])
    const { ID } = made.body
    const secret = await get(`/v1.25/secrets/${ID}`)
    expect(secret).toMatchObject({
      ID,
      Spec: { Name: 'first', Labels: { of: 'db' } },
      Version: { Index: expect.any(Number) },
    })
    expect(JSON.stringify(secret)).not.toContain(base64('s3cr3t'))
    expect(await get('/v1.25/secrets')).toEqual([secret])
    for (const name of ['first', ID.slice(0, 6)]) expect((await get(`/secrets/${name}`)).ID).toBe(ID)
    expect((await update('first', { Labels: { of: 'web' } }, '1.25')).status).toBe(200)
    expect((await get('/secrets/first')).Spec.Labels).toEqual({ of: 'web' })
    expect((await engine.call('DELETE', '/v1.25/secrets/first')).status).toBe(204)
    expect(await get('/secrets')).toEqual([])
    const known = new Map<string, number>()
    for (const version of versions) known.set(version, (await engine.call('GET', `/v${version}/secrets`)).status)
    expect(spanOf((version) => known.get(version) === 200)).toBe('1.25+')
    for (const [method, path] of [
      ['POST', 'create'],
      ['GET', 'x'],
      ['DELETE', 'x'],
      ['POST', 'x/update?version=1'],
    ] as const) {
      const answer = await engine.call(method, `/v1.24/secrets/${path}`, method === 'POST' ? {} : undefined)
      expect(answer).toEqual({ status: 404, body: { message: 'page not found' } })
    }
    const events = (await pastEvents(engine)).filter(({ Actor }) => Actor.ID === ID)
    expect(events.map(({ Action, Actor }) => [Action, Actor.Attributes.name])).toEqual([
      ['create', 'first'],
      ['update', 'first'],
      ['remove', 'first'],
    ])
  })

  it('ENG-496 ENG-497 ENG-501 ENG-502 say what callers did wrong from 1.31 on, and called it a fault before', async () => {
    await create({ Name: 'taken', Data: base64('x') })
    const outcomes = async (api: string) => [
      (await engine.call('DELETE', `/v${api}/secrets/nobody`)).status,
      (await create({ Name: 'taken', Data: base64('y') }, api)).status,
      (await update('taken', { Data: base64('other') }, api)).status,
      (await update('taken', { Name: 'another' }, api)).status,
      (await update('taken', { Labels: { seen: api } }, api)).status,
    ]
    for (const api of since('1.31')) expect(await outcomes(api), api).toEqual([404, 409, 400, 400, 200])
    for (const api of ['1.25', '1.30']) expect(await outcomes(api), api).toEqual([500, 500, 500, 500, 200])
    expect((await update('taken', { Data: base64('other') })).body.message).toBe('only updates to Labels are allowed')
    expect((await get('/secrets/taken')).Spec).toMatchObject({ Name: 'taken', Labels: { seen: '1.30' } })
  })

  it('ENG-498 ENG-499 ENG-500 may come from an external store from 1.31 on', async () => {
    const Driver = { Name: 'vault', Options: { path: 'kv/db' } }
    expect((await create({ Name: 'external', Driver }, '1.31')).status).toBe(201)
    expect((await get('/secrets/external')).Spec.Driver).toEqual(Driver)
    expect((await create({ Name: 'older', Driver, Data: base64('x') }, '1.30')).status).toBe(201)
    expect((await get('/secrets/older')).Spec).not.toHaveProperty('Driver')
    expect((await create({ Name: 'both', Driver, Data: base64('x') })).status).toBe(400)
    const told = await inAllVersions(engine, '/secrets/external', since('1.25'))
    expect(spans(told, ['Spec.Driver.Name', 'Spec.Driver.Options.path'])).toEqual({
      ...{ 'Spec.Driver.Name': '1.31+', 'Spec.Driver.Options.path': '1.31+' },
    })
    const listed = (await get('/secrets')).find((one: { Spec: { Name: string } }) => one.Spec.Name === 'external')
    expect(listed.Spec.Driver).toEqual(Driver)
  })

  it('ENG-503 ENG-504 may be templates from 1.37 on', async () => {
    const Templating = { Name: 'golang' }
    expect((await create({ Name: 'template', Data: base64('{{.Service.Name}}'), Templating }, '1.37')).status).toBe(201)
    expect((await create({ Name: 'plain', Data: base64('{{.Service.Name}}'), Templating }, '1.36')).status).toBe(201)
    expect((await get('/secrets/plain')).Spec).not.toHaveProperty('Templating')
    const told = await inAllVersions(engine, '/secrets/template', since('1.25'))
    expect(spans(told, ['Spec.Templating.Name'])).toEqual({ 'Spec.Templating.Name': '1.37+' })
    const wrong = await create({ Name: 'odd', Data: base64('x'), Templating: { Name: 'jinja' } })
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('golang')])
  })

  it('are filtered by id, name and label', async () => {
    const names = async (filters: object) =>
      (await get(`/secrets?filters=${encodeURIComponent(JSON.stringify(filters))}`)).map(
        (one: { Spec: { Name: string } }) => one.Spec.Name,
      )
    const { ID } = await get('/secrets/taken')
    expect(await names({ id: [ID] })).toEqual(['taken'])
    expect(await names({ name: ['templ'] })).toEqual(['template'])
    expect(await names({ names: ['plain', 'nobody'] })).toEqual(['plain'])
    expect(await names({ label: ['seen'] })).toEqual(['taken'])
    expect(await names({ label: ['seen=never'] })).toEqual([])
    expect((await get('/secrets?filters={"colour":["red"]}')).message).toBe("invalid filter 'colour'")
  })

  it('have limits for their names and data', async () => {
    const wrong: [object, RegExp][] = [
      [{ Name: '', Data: base64('x') }, /invalid name/],
      [{ Name: '-x', Data: base64('x') }, /invalid name/],
      [{ Name: 'x'.repeat(65), Data: base64('x') }, /invalid name/],
      [{ Name: 'empty', Data: '' }, /larger than 0/],
      [{ Name: 'large', Data: base64('x'.repeat(512_001)) }, /less than 512000/],
      [{ Name: 'odd', Data: '%%%' }, /base64/],
    ]
    for (const [spec, words] of wrong) {
      const { status, body } = await create(spec)
      expect([status, body.message]).toEqual([400, expect.stringMatching(words)])
    }
    expect((await create({ Name: 'full', Data: base64('x'.repeat(512_000)) })).status).toBe(201)
  })

  it('lie nowhere on the disk as they are', async () => {
    const words = 'never to be seen on any disk'
    await create({ Name: 'hidden', Data: base64(words) })
    const folder = engine.socketPath.replace(/engine.sock$/, '')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    const telling = files.filter((path) => {
      const text = readFileSync(path).toString('latin1')
      return text.includes(words) || text.includes(base64(words))
    })
    expect(files.some((path) => path.includes('/etcd/'))).toBe(true)
    expect(telling).toEqual([])
  })
})

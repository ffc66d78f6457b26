// Volumes of a whole engine, in every version that has a say in them.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inAllVersions, since, spanOf, spans, versions } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
})
afterAll(() => engine?.stop())

const filter = (filters: object) => `filters=${encodeURIComponent(JSON.stringify(filters))}`
const create = (body: object, version = '1.47') => engine.call('POST', `/v${version}/volumes/create`, body)
const names = async (filters: object = {}, version = '1.47'): Promise<string[]> =>
  (await engine.call('GET', `/v${version}/volumes?${filter(filters)}`)).body.Volumes.map(
    ({ Name }: { Name: string }) => Name,
  )
const remove = (name: string, query = '', version = '1.47') =>
  engine.call('DELETE', `/v${version}/volumes/${name}${query}`)

describe('volumes', () => {
  it('ENG-487 ENG-488 ENG-489 ENG-490 are made, listed, inspected and removed, from 1.21 on', async () => {
    for (const version of since('1.21')) {
      const made = await create({ Name: 'data', Labels: { a: 'b' } }, version)
      expect([version, made.status]).toEqual([version, 201])
      expect(made.body).toMatchObject({ Name: 'data', Driver: 'local', Mountpoint: expect.any(String) })
      expect(existsSync(made.body.Mountpoint)).toBe(true)
      expect((await engine.call('GET', `/v${version}/volumes/data`)).body).toEqual(made.body)
      expect((await engine.call('GET', `/v${version}/volumes`)).body.Volumes).toEqual([made.body])
      expect((await remove('data', '', version)).status).toBe(204)
      expect((await engine.call('GET', `/v${version}/volumes/data`)).status).toBe(404)
      expect(existsSync(made.body.Mountpoint)).toBe(false)
    }
    for (const [method, path] of [
      ['POST', 'volumes/create'],
      ['GET', 'volumes'],
      ['GET', 'volumes/data'],
      ['DELETE', 'volumes/data'],
    ] as const) {
      await create({ Name: 'data' })
      const body = method === 'POST' ? { Name: 'data' } : undefined
      expect((await engine.call(method, `/v1.20/${path}`, body)).status).toBe(404)
    }
    await remove('data')
  })

  it('ENG-481 ENG-482 ENG-484 tell when they were made from 1.31 on, and with which options from 1.25 on', async () => {
    const DriverOpts = { type: 'tmpfs', device: 'tmpfs', o: 'size=1m' }
    await create({ Name: 'memory', DriverOpts })
    const one = await inAllVersions(engine, '/volumes/memory')
    expect(spans(one, ['CreatedAt', 'Options'])).toEqual({ CreatedAt: '1.31+', Options: '1.25+' })
    const list = await inAllVersions(engine, '/volumes')
    const [inList] = [{ 'Volumes.0.CreatedAt': '1.31+', 'Volumes.0.Options': '1.25+' }]
    expect(spans(list, Object.keys(inList))).toEqual(inList)
    expect(one.get('1.47').Options).toEqual(DriverOpts)
    expect(Math.abs(Date.now() - Date.parse(one.get('1.31').CreatedAt))).toBeLessThan(600_000)
    await remove('memory')
  })

  it('ENG-475 ENG-476 ENG-477 ENG-478 ENG-479 ENG-480 are not of a cluster: that needs a manager of a swarm, from 1.42 on', async () => {
    for (const version of versions.slice(3)) {
      const { status, body } = await create({ Name: 'spread', ClusterVolumeSpec: { Group: 'g' } }, version)
      const isKnown = since('1.42').includes(version)
      expect([version, status]).toEqual([version, isKnown ? 503 : 201])
      if (isKnown) expect(body.message).toContain('not a swarm manager')
      await create({ Name: 'spread' })
      const changed = await engine.call('PUT', `/v${version}/volumes/spread?version=1`, { Spec: {} })
      expect([version, changed.status]).toEqual([version, isKnown ? 503 : 404])
      expect((await engine.call('GET', `/v${version}/volumes/spread`)).body).not.toHaveProperty('ClusterVolume')
      expect((await engine.call('GET', `/v${version}/volumes`)).body.Volumes[0]).not.toHaveProperty('ClusterVolume')
      await remove('spread')
    }
  })

  it('ENG-485 ENG-486 are filtered, from 1.23 on', async () => {
    for (const Name of ['one', 'two']) await create({ Name })
    for (const [filters, left] of [
      [{ name: ['on'] }, 'one'],
      [{ driver: ['other'] }, ''],
    ] as const) {
      const told = new Map<string, string>()
      for (const version of since('1.21')) told.set(version, (await names(filters, version)).join())
      expect(spanOf((version) => told.get(version) === left)).toBe('1.23+')
      expect(spanOf((version) => told.get(version) === 'one,two')).toBe('1.21-1.22')
    }
    expect(await names({ driver: ['local'] }, '1.23')).toEqual(['one', 'two'])
    for (const name of ['one', 'two']) await remove(name)
  })

  it('ENG-483 stay while a container has them, also by force, which from 1.25 on forgives that there is none', async () => {
    const id = await engine.run('1.47', 'holder', { HostConfig: { Binds: ['busy:/data'] } })
    for (const force of ['', '?force=1']) {
      const { status, body } = await remove('busy', force)
      expect([status, body.message]).toEqual([409, `remove busy: volume is in use - [${id}]`])
    }
    expect((await remove('none')).status).toBe(404)
    expect((await remove('none', '?force=true', '1.25')).status).toBe(204)
    expect((await remove('none', '?force=true', '1.24')).status).toBe(404)
  })

  it('ENG-646 ENG-694 ENG-695 ENG-696 ENG-699 are pruned: those without a name, or all that are asked for', async () => {
    const prune = async (version: string, filters: object = {}): Promise<string[]> =>
      (await engine.call('POST', `/v${version}/volumes/prune?${filter(filters)}`)).body.VolumesDeleted
    await create({ Name: 'named' })
    const anonymous = (await create({})).body.Name
    expect((await engine.call('POST', '/v1.24/volumes/prune')).status).toBe(404)
    expect(await prune('1.42')).toEqual([anonymous])
    expect(await prune('1.42', { all: ['true'] })).toEqual(['named'])
    await create({ Name: 'named' })
    expect(await prune('1.47', { all: { 1: true } })).toEqual(['named'])
    for (const version of ['1.25', '1.41']) {
      await create({ Name: 'named' })
      expect(await prune(version)).toEqual(['named'])
    }
    expect(await names()).toEqual(['busy'])
    const query = `since=1&until=${(Date.now() / 1000).toFixed(3)}&${filter({ type: ['volume'], event: ['prune'] })}`
    const told = async (version: string) =>
      (await engine.client.call('GET', `/v${version}/events?${query}`)).body.toString()
    expect([(await told('1.41')).includes('"reclaimed"'), await told('1.40')]).toEqual([true, ''])
  })

  it('ENG-709 ENG-710 ENG-711 ENG-712 are pruned by labels, from 1.29 on', async () => {
    const prune = async (filters: object) =>
      (await engine.call('POST', `/v1.29/volumes/prune?${filter(filters)}`)).body.VolumesDeleted
    for (const [Name, team] of Object.entries({ one: 'red', two: 'blue', six: 'red' })) {
      await create({ Name, Labels: { team } })
    }
    await create({ Name: 'plain' })
    expect((await engine.call('POST', `/v1.28/volumes/prune?${filter({ label: ['team'] })}`)).status).toBe(400)
    expect(await prune({ 'label!': ['team'] })).toEqual(['plain'])
    expect(await prune({ 'label!': ['team=red'] })).toEqual(['two'])
    expect(await prune({ label: ['team=blue'] })).toEqual([])
    expect(await prune({ label: ['team=red'] })).toEqual(['one', 'six'])
    await create({ Name: 'more', Labels: { team: 'any' } })
    expect(await prune({ label: ['team'] })).toEqual(['more'])
  })
})

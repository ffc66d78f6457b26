import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { volumesMigration } from './migration.ts'
import { startVolumes, type VolumesServer } from './testing/volumes-server.ts'

const filter = (filters: object): string => `filters=${encodeURIComponent(JSON.stringify(filters))}`

describeBothDatabases('volumes', (open) => {
  const start = async (): Promise<VolumesServer> => startVolumes(await open([volumesMigration]))

  const create = async ({ call }: VolumesServer, body: object): Promise<string> => {
    const answer = await call('POST', '/volumes/create', body)
    expect(answer.status).toBe(201)
    return answer.body.Name
  }

  const names = async ({ call }: VolumesServer, filters: object = {}): Promise<string[]> => {
    const { status, body } = await call('GET', `/volumes?${filter(filters)}`)
    expect(status).toBe(200)
    return body.Volumes.map(({ Name }: { Name: string }) => Name)
  }

  it('are made, listed, inspected and removed', async () => {
    const server = await start()
    const made = await server.call('POST', '/volumes/create', { Name: 'data', Labels: { a: 'b' } })
    expect(made).toMatchObject({
      status: 201,
      body: { Name: 'data', Driver: 'local', Scope: 'local', Labels: { a: 'b' }, Options: {} },
    })
    expect(existsSync(made.body.Mountpoint)).toBe(true)
    expect((await server.call('GET', '/volumes/data')).body).toEqual(made.body)
    expect((await server.call('GET', '/volumes')).body).toEqual({ Volumes: [made.body], Warnings: [] })
    expect((await server.call('DELETE', '/volumes/data')).status).toBe(204)
    expect(await server.call('GET', '/volumes/data')).toEqual({
      status: 404,
      body: { message: 'get data: no such volume' },
    })
    expect(readdirSync(join(server.folder, 'volumes'))).toEqual([])
  })

  it('tell when they were made and with which options, to versions that know it', async () => {
    const server = await start()
    await create(server, { Name: 'memory', DriverOpts: { type: 'tmpfs', device: 'tmpfs', o: 'size=1m' } })
    const { body } = await server.call('GET', '/v1.47/volumes/memory')
    expect(body.Options).toEqual({ type: 'tmpfs', device: 'tmpfs', o: 'size=1m' })
    expect(Date.parse(body.CreatedAt)).toBeGreaterThan(Date.now() - 60_000)
    expect((await server.call('GET', '/v1.30/volumes/memory')).body.CreatedAt).toBeUndefined()
    expect((await server.call('GET', '/v1.24/volumes/memory')).body.Options).toBeUndefined()
    expect((await server.call('GET', '/v1.20/volumes')).status).toBe(404)
  })

  it('are found again after a restart, and what was being removed is not', async () => {
    const db = await open([volumesMigration])
    const first = await startVolumes(db)
    await create(first, { Name: 'data', Labels: { a: 'b' } })
    writeFileSync(join(first.folder, 'volumes/data/_data/file'), 'kept')
    mkdirSync(join(first.folder, 'volumes/.removed-1'))
    const second = await startVolumes(db, first.folder)
    expect((await second.call('GET', '/volumes/data')).body.Labels).toEqual({ a: 'b' })
    expect(readdirSync(join(first.folder, 'volumes'))).toEqual(['data'])
    expect(readdirSync(join(first.folder, 'volumes/data/_data'))).toEqual(['file'])
  })

  it('are the same when made twice, also at once', async () => {
    const server = await start()
    await Promise.all(Array.from({ length: 5 }, () => create(server, { Name: 'once' })))
    await create(server, { Name: 'once', Labels: { other: 'yes' } })
    expect((await server.call('GET', '/volumes/once')).body.Labels).toEqual({})
    expect(server.events.past.filter(({ event }) => event.Action === 'create')).toHaveLength(1)
  })

  const refused: [body: object, status: number, message: string][] = [
    [{ Name: '../../etc' }, 400, 'includes invalid characters'],
    [{ Name: 'a' }, 400, 'volume name is too short'],
    [{ Name: 'net', Driver: 'nfs' }, 404, 'plugin "nfs" not found'],
    [{ Name: 'odd', DriverOpts: { colour: 'red' } }, 400, 'invalid option: "colour"'],
    [{ Name: 'half', DriverOpts: { type: 'tmpfs' } }, 400, 'missing required option: "device"'],
    [{ Name: 'big', DriverOpts: { size: '1G' } }, 400, 'no quota support'],
    [{ Name: 'cluster', ClusterVolumeSpec: {} }, 503, 'not a swarm manager'],
  ]

  it('are refused with names, drivers and options that cannot be, and of a cluster', async () => {
    const server = await start()
    for (const [body, status, message] of refused) {
      const answer = await server.call('POST', '/volumes/create', body)
      expect(answer).toEqual({ status, body: { message: expect.stringContaining(message) } })
    }
    expect(await names(server)).toEqual([])
  })

  it('are not of a cluster, which changes alone could be made to', async () => {
    const server = await start()
    await create(server, { Name: 'data' })
    expect((await server.call('GET', '/volumes/data')).body).not.toHaveProperty('ClusterVolume')
    expect((await server.call('PUT', '/volumes/data?version=1', { Spec: {} })).status).toBe(503)
    expect((await server.call('PUT', '/v1.41/volumes/data?version=1', { Spec: {} })).status).toBe(404)
  })

  it('are filtered', async () => {
    const server = await start()
    await create(server, { Name: 'one', Labels: { team: 'red' } })
    await create(server, { Name: 'two', Labels: { team: 'blue', old: '' } })
    server.users.set('two', ['c1'])
    expect(await names(server, { name: ['on'] })).toEqual(['one'])
    expect(await names(server, { driver: ['local'] })).toEqual(['one', 'two'])
    expect(await names(server, { driver: ['other'] })).toEqual([])
    expect(await names(server, { label: ['team'] })).toEqual(['one', 'two'])
    expect(await names(server, { label: ['team=blue'] })).toEqual(['two'])
    expect(await names(server, { label: { 'team:red': true } })).toEqual(['one'])
    expect(await names(server, { dangling: ['true'] })).toEqual(['one'])
    expect(await names(server, { dangling: ['0'] })).toEqual(['two'])
    expect((await server.call('GET', `/volumes?${filter({ size: ['1'] })}`)).status).toBe(400)
    expect((await server.call('GET', `/volumes?${filter({ dangling: ['perhaps'] })}`)).status).toBe(400)
  })

  it('stay while a container has them, also by force, which only forgives that there is none', async () => {
    const server = await start()
    await create(server, { Name: 'busy' })
    server.users.set('busy', ['c1'])
    for (const force of ['', '?force=1']) {
      const { status, body } = await server.call('DELETE', `/volumes/busy${force}`)
      expect([status, body.message]).toEqual([409, 'remove busy: volume is in use - [c1]'])
    }
    expect((await server.call('DELETE', '/volumes/none')).status).toBe(404)
    expect((await server.call('DELETE', '/volumes/none?force=true')).status).toBe(204)
  })

  it('stay while a container is being made with them', async () => {
    const server = await start()
    await server.volumes.use({ name: 'new', driver: 'local', options: {}, labels: {} }, 'c1')
    const removal = server.call('DELETE', '/volumes/new')
    server.users.set('new', ['c1'])
    expect((await removal).status).toBe(409)
    server.users.delete('new')
    server.volumes.release('c1')
    expect((await server.call('DELETE', '/volumes/new')).status).toBe(204)
  })

  it('are pruned: those without a name, or all that are asked for', async () => {
    const server = await start()
    const prune = async (version: string, filters: object = {}): Promise<string[]> => {
      const { status, body } = await server.call('POST', `/${version}/volumes/prune?${filter(filters)}`)
      expect(status).toBe(200)
      return body.VolumesDeleted
    }
    await create(server, { Name: 'named' })
    await create(server, { Name: 'busy' })
    server.users.set('busy', ['c1'])
    const anonymous = await create(server, {})
    expect(anonymous).toMatch(/^[0-9a-f]{64}$/)
    expect(await prune('v1.42')).toEqual([anonymous])
    expect(await prune('v1.42', { all: ['true'] })).toEqual(['named'])
    await create(server, { Name: 'named' })
    expect(await prune('v1.47', { all: { 1: true } })).toEqual(['named'])
    await create(server, { Name: 'named' })
    expect(await prune('v1.41')).toEqual(['named'])
    expect(await names(server)).toEqual(['busy'])
    expect((await server.call('POST', '/v1.24/volumes/prune')).status).toBe(404)
  })

  it('are pruned by labels, and the space is counted', async () => {
    const server = await start()
    const prune = async (filters: object) =>
      (await server.call('POST', `/volumes/prune?${filter({ all: ['1'], ...filters })}`)).body
    for (const [Name, team] of Object.entries({ one: 'red', two: 'blue', six: 'red' }))
      await create(server, { Name, Labels: { team } })
    await create(server, { Name: 'plain' })
    writeFileSync(join(server.folder, 'volumes/two/_data/file'), 'x'.repeat(1_000))
    expect((await prune({ 'label!': ['team'] })).VolumesDeleted).toEqual(['plain'])
    expect(await prune({ 'label!': ['team=red'] })).toEqual({ VolumesDeleted: ['two'], SpaceReclaimed: 1_000 })
    expect((await prune({ label: ['team=blue'] })).VolumesDeleted).toEqual([])
    expect((await prune({ label: ['team'] })).VolumesDeleted).toEqual(['one', 'six'])
    const told = server.events.past.map(({ event }) => event).filter(({ Action }) => Action === 'prune')
    expect(told.map(({ Actor }) => Actor.Attributes.reclaimed)).toEqual(['0', '1000', '0', '0'])
  })

  it('tell their size and their users', async () => {
    const server = await start()
    await create(server, { Name: 'data' })
    writeFileSync(join(server.folder, 'volumes/data/_data/file'), 'x'.repeat(500))
    server.users.set('data', ['c1', 'c2'])
    expect((await server.volumes.usage())[0]?.UsageData).toEqual({ Size: 500, RefCount: 2 })
  })
})

// Images of a whole engine: how they come and go, and what is told of them in each version.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestOf } from '../../images/digest.ts'
import { hostPlatform } from '../../images/platform.ts'
import { around, inAllVersions, spanOf, spans, versions } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { multiPlatform, otherPlatform } from './testing/multi-platform.ts'
import { filter, layer, lines } from './testing/sample-images.ts'
import { dockerArchive } from './testing/sample-tars.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
  await engine.call('POST', '/images/busybox/tag?repo=kept')
})
afterAll(() => engine?.stop())

const get = async (path: string) => (await engine.call('GET', path)).body
async function load(names: string[], config = {}, layers = [layer(names.join('-') || 'bare')]): Promise<string> {
  const { id, tar } = dockerArchive(layers, { names, config })
  expect((await engine.call('POST', '/images/load?quiet=1', tar)).status).toBe(200)
  return id
}
interface Row {
  Id: string
  RepoTags: string[] | null
}
const rowOf = (rows: Row[], id: string) => rows.find(({ Id }) => Id === id)
/** The row of one image in the list of every version. */
async function listed(id: string, query = '') {
  const told = await inAllVersions(engine, `/images/json${query}`)
  return new Map([...told].map(([version, rows]) => [version, rowOf(rows, id)]))
}

describe('loading', () => {
  const loads = async (version: string, query: string) => {
    const { tar } = dockerArchive([layer('a'), layer('b')], { names: ['web:1'] })
    const { status, body } = await engine.client.call('POST', `/v${version}/images/load${query}`, tar)
    expect(status).toBe(200)
    await engine.call('DELETE', '/images/web:1')
    return body.toString()
  }

  it('ENG-409 ENG-410 tells its progress as JSON from 1.23 on, unless it is to be quiet', async () => {
    const told = new Map<string, string>()
    const among = around('1.23')
    for (const version of among) told.set(version, await loads(version, ''))
    expect(spanOf((version) => told.get(version) === '', among)).toBe('to 1.22')
    for (const version of ['1.23', '1.47']) {
      const steps = lines(told.get(version) ?? '')
      expect(steps.filter(({ status }) => status === 'Loading layer').length).toBeGreaterThan(1)
      expect(steps.at(-1)).toEqual({ stream: 'Loaded image: web:1\n' })
    }
    for (const version of ['1.23', '1.47']) {
      expect(lines(await loads(version, '?quiet=1'))).toEqual([{ stream: 'Loaded image: web:1\n' }])
    }
  })

  it.each(['1.22', '1.47'])('tells in the stream what is wrong with an archive, in %s', async (version) => {
    const { status, body } = await engine.client.call('POST', `/v${version}/images/load`, Buffer.from('abc'))
    const message = expect.stringContaining('archive')
    expect([status, lines(body.toString())]).toEqual([200, [{ errorDetail: { message }, error: message }]])
  })

  it('ENG-400 takes back what was saved, with its metadata, from 1.31 on', async () => {
    const id = await load(['saved:1'])
    const saved = await engine.client.call('GET', '/v1.31/images/saved:1/get')
    expect(saved.body.toString()).toContain('"ImageMetadata":{"LastTagTime":')
    await engine.call('DELETE', '/images/saved:1')
    expect((await engine.call('POST', '/images/load', saved.body)).status).toBe(200)
    expect((await get('/images/saved:1/json')).Id).toBe(id)
    await engine.call('DELETE', '/images/saved:1')
  })
})

describe('importing', () => {
  it('ENG-392 ENG-393 ENG-394 ENG-397 ENG-398 ENG-399 is for the platform that is asked for, and for the host without one', async () => {
    const [first] = [layer('a')]
    for (const version of ['1.18', '1.31', '1.32', '1.47']) {
      for (const [query, expected] of [
        ['', { Os: hostPlatform.os, Architecture: hostPlatform.architecture }],
        ['&platform=linux', { Os: 'linux', Architecture: hostPlatform.architecture }],
        ['&platform=LINUX/s390x', { Os: 'linux', Architecture: 's390x' }],
        ['&platform=riscv64', { Os: 'linux', Architecture: 'riscv64' }],
        ['&platform=linux/arm/v7', { Os: 'linux', Architecture: 'arm', Variant: 'v7' }],
      ] as const) {
        const { status } = await engine.call('POST', `/v${version}/images/create?fromSrc=-&repo=made${query}`, first)
        expect(status).toBe(200)
        expect(await get('/images/made/json'), `${version} ${query}`).toMatchObject(expected)
      }
    }
    for (const [platform, words] of [
      ['a/b/c/d', 'is an invalid platform'],
      ['/', 'is an invalid OS component'],
      ['nintendo64', 'unknown operating system or architecture'],
      ['macos/arm64', 'operating system is not supported'],
    ] as const) {
      const { status, body } = await engine.call('POST', `/images/create?fromSrc=-&platform=${platform}`, first)
      expect([status, body.message]).toEqual([400, expect.stringContaining(words)])
    }
    expect((await engine.call('POST', '/images/create?fromSrc=-&repo=made', Buffer.alloc(0))).status).toBe(200)
    await engine.call('POST', '/images/prune?filters=%7B%22dangling%22%3A%5B%22true%22%5D%7D')
    await engine.call('DELETE', '/images/made')
  })
})

describe('lists of images', () => {
  it('ENG-385 ENG-388 ENG-389 ENG-391 ENG-415 have names and digests, and one size, as the version has them', async () => {
    const id = await load(['named:1'])
    const bare = await load([])
    const told = await listed(id)
    expect(spans(told, ['RepoDigests', 'VirtualSize', 'Size'])).toEqual({
      ...{ RepoDigests: 'all', VirtualSize: 'to 1.43', Size: 'all' },
    })
    for (const version of versions) {
      const row = (await get(`/v${version}/images/json`)).find(({ Id }: Row) => Id === bare)
      const isOld = Number(version.slice(2)) < 43
      expect([version, row.RepoTags, row.RepoDigests]).toEqual(
        isOld ? [version, ['<none>:<none>'], ['<none>@<none>']] : [version, [], []],
      )
    }
    const { SharedSize } = rowOf(await get('/images/json'), id) as unknown as { SharedSize: number }
    expect(SharedSize).toBe(-1)
    for (const image of [id, bare]) await engine.call('DELETE', `/images/${image}?force=1`)
  })

  it('ENG-390 tell the size that images share when asked, from 1.42 on', async () => {
    const base = layer('base', 'x'.repeat(1_000))
    const id = await load(['one'], {}, [base, layer('1')])
    await load(['two'], {}, [base, layer('2')])
    const told = await listed(id, '?shared-size=true')
    const shared = (version: string) => (told.get(version) as unknown as { SharedSize?: number })?.SharedSize === 1_000
    expect(spanOf(shared)).toBe('1.42+')
    for (const name of ['one', 'two']) await engine.call('DELETE', `/images/${name}`)
  })

  it('ENG-381 ENG-382 ENG-383 ENG-395 ENG-396 ENG-403 ENG-406 ENG-407 are filtered', async () => {
    const old = await load(['old:1'], { created: '2020-01-01T00:00:00Z' })
    const mid = await load(['mid:1', 'team/mid:2'], { created: '2022-01-01T00:00:00Z' })
    const ids = async (version: string, query: string) =>
      (await get(`/v${version}/images/json?${query}`)).map(({ Id }: Row) => Id)
    const [all] = [await ids('1.47', '')]
    const others = all.filter((id: string) => ![old, mid].includes(id))
    for (const version of versions) {
      for (const until of ['1609459200', '2021-01-01T00:00:00Z']) {
        expect(await ids(version, filter({ until: [until] })), version).toEqual([old])
      }
      expect(await ids(version, filter({ until: ['1h30m'] })), version).toEqual([mid, old])
    }
    const spanOfFilter = async (query: string, left: string[]) => {
      const told = new Map<string, string>()
      for (const version of versions) told.set(version, (await ids(version, query)).join())
      expect(new Set(told.values())).toEqual(new Set([left.join(), all.join()]))
      return spanOf((version) => told.get(version) === left.join())
    }
    expect(await spanOfFilter(filter({ reference: ['m*'] }), [mid])).toBe('1.25+')
    expect(await spanOfFilter(filter({ since: ['old:1'] }), [...others, mid])).toBe('1.24+')
    expect(await spanOfFilter(filter({ before: ['mid:1'] }), [old])).toBe('1.24+')
    expect(await spanOfFilter('filter=old', [old])).toBe('to 1.40')
    for (const name of ['old:1', 'mid:1', 'team/mid:2']) await engine.call('DELETE', `/images/${name}`)
  })

  it('ENG-357 ENG-358 ENG-359 ENG-360 tell the manifests and attestations of an image when asked, from 1.47 on', async () => {
    const sample = multiPlatform()
    expect((await engine.call('POST', '/images/load', sample.tar)).status).toBe(200)
    const row = async (version: string, query: string) =>
      rowOf(await get(`/v${version}/images/json${query}`), sample.hostId) as unknown as { Manifests?: unknown }
    for (const query of ['', '?manifests=false']) expect(await row('1.47', query)).not.toHaveProperty('Manifests')
    expect(await row('1.46', '?manifests=true')).not.toHaveProperty('Manifests')
    expect((await row('1.47', '?manifests=true')).Manifests).toMatchObject([
      { ID: sample.host.digest, Kind: 'image', Available: true, ImageData: { Platform: hostPlatform } },
      { ID: sample.foreign.digest, Kind: 'image', Available: true, ImageData: { Platform: otherPlatform } },
      { ID: sample.absent.digest, Kind: 'image', Available: false },
      { ID: sample.attestation.digest, Kind: 'attestation', AttestationData: { For: sample.host.digest } },
    ])
    await engine.call('DELETE', '/images/many:1')
  })
})

describe('an image', () => {
  it('ENG-363 ENG-364 ENG-365 ENG-366 ENG-367 ENG-368 ENG-369 ENG-370 ENG-371 ENG-372 ENG-373 ENG-374 ENG-727 shows old fields that are not of its configuration', async () => {
    await load(['dated'], { config: { Hostname: 'h', StopTimeout: 3, NetworkDisabled: true, Cmd: ['x'] } })
    const dated = {
      ...{ Hostname: '', Domainname: '', AttachStdin: false, AttachStdout: false, AttachStderr: false },
      ...{ Tty: false, OpenStdin: false, StdinOnce: false, Image: '' },
    }
    for (const version of versions) {
      const { Config } = await get(`/v${version}/images/dated/json`)
      expect(Config, version).toMatchObject({ ...dated, Cmd: ['x'] })
      for (const name of ['NetworkDisabled', 'MacAddress', 'StopTimeout']) expect(Config).not.toHaveProperty(name)
    }
    await engine.call('DELETE', '/images/dated')
  })

  it('ENG-014 ENG-379 ENG-380 ENG-384 ENG-386 ENG-387 ENG-401 ENG-402 ENG-413 ENG-414 has each field in the versions that have it', async () => {
    await load(['web'], { created: undefined, 'os.version': '10.0' }, [layer('hello')])
    const fields = {
      ...{ Container: 'to 1.44', ContainerConfig: 'to 1.44', VirtualSize: 'to 1.43', Created: 'to 1.43' },
      ...{ OsVersion: '1.25+', 'RootFS.BaseLayer': 'to 1.24', RepoTags: '1.21+', RepoDigests: '1.21+', Size: 'all' },
    }
    const told = await inAllVersions(engine, '/images/web/json')
    expect(spans(told, Object.keys(fields))).toEqual(fields)
    expect(told.get('1.43').VirtualSize).toBe(told.get('1.43').Size)
    expect(told.get('1.47')).toMatchObject({ RepoTags: ['web:latest'], RepoDigests: [], OsVersion: '10.0' })
    expect(told.get('1.47').RootFS).toEqual({ Type: 'layers', Layers: [digestOf(layer('hello'))] })
    await engine.call('DELETE', '/images/web')
  })

  it('ENG-408 has its names moved without being asked to, and by force before 1.24 alone', async () => {
    const [first, second] = [await load(['first:1']), await load(['second:1'])]
    const owner = async () => (await get('/images/moving:1/json')).Id
    const tag = (version: string, name: string, query = '') =>
      engine.call('POST', `/v${version}/images/${name}/tag?repo=moving&tag=1${query}`)
    expect((await tag('1.24', 'first:1')).status).toBe(201)
    expect((await tag('1.24', 'second:1')).status).toBe(201)
    expect(await owner()).toBe(second)
    expect((await tag('1.24', 'first:1', '&force=0')).status).toBe(201)
    expect(await owner()).toBe(first)
    expect((await tag('1.23', 'second:1', '&force=1')).status).toBe(201)
    expect(await owner()).toBe(second)
    for (const name of ['first:1', 'second:1', 'moving:1']) await engine.call('DELETE', `/images/${name}`)
  })
})

describe('pruning images', () => {
  it('ENG-647 ENG-649 ENG-698 takes those without a name, and tells what it reclaimed', async () => {
    const id = await load([], {}, [layer('gone', 'x'.repeat(5_000))])
    expect((await engine.call('POST', '/v1.24/images/prune')).status).toBe(404)
    const { body } = await engine.call('POST', '/v1.25/images/prune')
    expect(body.ImagesDeleted).toEqual([{ Deleted: id }])
    expect(body.SpaceReclaimed).toBeGreaterThan(5_000)
    const query = `since=1&until=${(Date.now() / 1000).toFixed(3)}&${filter({ event: ['prune'] })}`
    const told = async (version: string) =>
      (await engine.client.call('GET', `/v${version}/events?${query}`)).body.toString().trim().split('\n')
    expect(JSON.parse((await told('1.41')).at(-1) ?? '')).toMatchObject({
      ...{ Type: 'image', Action: 'prune', Actor: { Attributes: { reclaimed: String(body.SpaceReclaimed) } } },
    })
    expect(await told('1.40')).toEqual([''])
  })

  it('ENG-705 ENG-706 ENG-707 ENG-708 keeps to labels, from 1.29 on', async () => {
    const prune = async (filters: object): Promise<string[]> => {
      await load(['a:1'], { config: { Labels: { kind: 'x' } } })
      await load(['b:1'], { config: { Labels: { kind: 'y' } } })
      await load(['c:1'], {})
      const { status } = await engine.call('POST', `/v1.29/images/prune?${filter({ dangling: ['0'], ...filters })}`)
      expect(status).toBe(200)
      const left = (await get('/images/json')).flatMap(({ RepoTags }: Row) => RepoTags)
      return ['a:1', 'b:1', 'c:1'].filter((name) => left.includes(name))
    }
    expect(await prune({ label: ['kind'] })).toEqual(['c:1'])
    expect(await prune({ label: ['kind=x'] })).toEqual(['b:1', 'c:1'])
    // Of the rest, what has no such label goes too: busybox is in use by nobody.
    expect(await prune({ 'label!': ['kind'] })).toEqual(['a:1', 'b:1'])
    expect(await prune({ 'label!': ['kind=x'] })).toEqual(['a:1'])
    const older = await engine.call('POST', `/v1.28/images/prune?${filter({ label: ['kind'] })}`)
    expect(older.status).toBe(400)
  })
})

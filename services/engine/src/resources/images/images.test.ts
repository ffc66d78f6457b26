import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../images/digest.ts'
import { hostPlatform } from '../../images/platform.ts'
import { imagesServer } from './testing/images-server.ts'
import { filter, layer, lines, load, onDisk } from './testing/sample-images.ts'
import { dockerArchive, type SampleEntry, tarOf } from './testing/sample-tars.ts'

describe('Loading images', () => {
  it('streams progress as JSON and names what was loaded', async () => {
    const server = await imagesServer()
    const { tar, id } = dockerArchive([layer('a'), layer('b')], { names: ['web:1', 'localhost:5000/team/web:2'] })
    const answer = await server.call('POST', '/images/load', tar)
    const told = lines(answer.text)
    expect(told.filter(({ status }) => status === 'Loading layer').length).toBe(4)
    expect(told.filter(({ stream }) => stream).map(({ stream }) => stream)).toEqual([
      'Loaded image: web:1\n',
      'Loaded image: localhost:5000/team/web:2\n',
    ])
    expect((await server.call('GET', '/images/web:1/json')).json.Id).toBe(id)
    expect(server.actions()).toEqual(['image load'])
  })

  it('is silent about progress when quiet', async () => {
    const server = await imagesServer()
    const answer = await server.call('POST', '/images/load?quiet=1', dockerArchive([layer('a')]).tar)
    expect(lines(answer.text)).toEqual([{ stream: expect.stringMatching(/^Loaded image ID: sha256:/) }])
  })

  it('takes compressed archives and compressed layers', async () => {
    const server = await imagesServer()
    const plain = layer('a')
    const { tar } = dockerArchive([gzipSync(plain)], {
      names: ['zip'],
      config: { diffIds: [digestOf(plain)] } as object,
    })
    expect((await server.call('POST', '/images/load', gzipSync(tar))).status).toBe(200)
    expect((await server.call('GET', '/images/zip/json')).json.RootFS.Layers).toEqual([digestOf(plain)])
  })

  it('finds layers wherever they are in the archive, twice in one image, and beside files that are none', async () => {
    const server = await imagesServer()
    const twice = layer('a')
    const { files, id } = dockerArchive([twice, layer('b'), twice], { names: ['many:1'] })
    const junk = { name: 'junk', data: Buffer.alloc(5_000, 'no layer') }
    const tar = tarOf([...files].reverse().concat(junk, { name: 'VERSION', data: '1.0' }))
    expect((await server.call('POST', '/images/load', tar)).status).toBe(200)
    expect((await server.call('GET', '/images/many:1/json')).json.Id).toBe(id)
    const unpacked = (await readdir(join(server.folder, 'layers'))).filter((name) => name !== 'init')
    expect(unpacked.length).toBe(3)
    expect(await readdir(join(server.folder, 'staging'))).toEqual([])
  })

  it('refuses what is damaged with a 4xx, and nothing of it stays', async () => {
    const server = await imagesServer()
    const good = dockerArchive([layer('a'), layer('b')], { names: ['x'] })
    const [first, second, ...rest] = good.files as [SampleEntry, SampleEntry, ...SampleEntry[]]
    const manifest = rest.at(-1) as SampleEntry
    const bad: Record<string, Buffer> = {
      'another layer': tarOf([{ ...first, data: layer('z') }, second, ...rest]),
      'a missing layer': tarOf([second, ...rest]),
      'a cut layer': tarOf([{ ...first, data: layer('a').subarray(0, 600) }, second, ...rest]),
      'a cut archive': good.tar.subarray(0, 3_000),
      'no manifest': tarOf([first, second]),
      'no JSON': tarOf([first, second, { ...manifest, data: '{"x"' }]),
      'too few layers': tarOf([
        first,
        second,
        ...rest.slice(0, -1),
        { ...manifest, data: String(manifest.data).replace(/,"layer-1[^\]]*/, '') },
      ]),
      'a bad name': tarOf([
        first,
        second,
        ...rest.slice(0, -1),
        { ...manifest, data: String(manifest.data).replace('"x"', '"X:Y:Z"') },
      ]),
      'a way out': tarOf([
        first,
        second,
        ...rest.slice(0, -1),
        { ...manifest, data: String(manifest.data).replace('layer-0/layer.tar', '../../../etc/passwd') },
      ]),
      'no tar': Buffer.from('this is no archive'),
      nothing: Buffer.alloc(0),
    }
    for (const [what, tar] of Object.entries(bad)) {
      const answer = await server.call('POST', '/images/load', tar)
      expect([what, answer.status]).toEqual([what, 200])
      expect(JSON.parse(answer.text.trim().split('\n').at(-1) ?? ''), what).toMatchObject({ error: expect.any(String) })
      expect([what, await onDisk(server)]).toEqual([what, []])
    }
    expect((await server.call('GET', '/images/json')).json).toEqual([])
  })

  it('finds everything again after a restart, and removes what no row knows', async () => {
    const server = await imagesServer()
    const id = await load(server, ['keep:1'])
    const before = (await onDisk(server)).sort()
    await server.side.blobs.intake().then((intake) => intake.keepBytes(digestOf('stray'), Buffer.from('stray')))
    expect((await onDisk(server)).length).toBe(before.length + 1)
    await server.open()
    expect((await onDisk(server)).sort()).toEqual(before)
    expect((await server.call('GET', '/images/keep:1/json')).json.Id).toBe(id)
  })
})

describe('Saving images', () => {
  it('gives an archive with metadata that can be loaded again, bit for bit', async () => {
    const server = await imagesServer()
    const id = await load(server, ['web:1', 'web:2'], {}, [layer('a'), layer('b')])
    for (const path of ['/images/web:1/get', '/images/get?names=web:1&names=web:2', '/images/get?names=web']) {
      const saved = await server.call('GET', path)
      expect([saved.status, saved.headers['content-type']]).toEqual([200, 'application/x-tar'])
      expect(saved.text).toContain('"ImageMetadata":{"LastTagTime":')
      const other = await imagesServer()
      expect((await other.call('POST', '/images/load', saved.bytes)).status).toBe(200)
      expect((await other.call('GET', '/images/web:1/json')).json.Id).toBe(id)
    }
    expect((await server.call('GET', '/images/nothing/get')).status).toBe(404)
    expect(server.actions().filter((action) => action === 'image save').length).toBe(3)
  })

  it('by id keeps no name', async () => {
    const server = await imagesServer()
    const id = await load(server, ['web:1'])
    const saved = await server.call('GET', `/images/${id}/get`)
    const other = await imagesServer()
    await other.call('POST', '/images/load', saved.bytes)
    expect((await other.call('GET', '/images/json')).json).toMatchObject([{ Id: id, RepoTags: [] }])
  })
})

describe('Importing', () => {
  it('makes an image for the host, with changes and a message', async () => {
    const server = await imagesServer()
    const changes = ['CMD ["top"]', 'ENV A=1 B="two words"', 'EXPOSE 80 53/udp', 'LABEL x=y', 'WORKDIR /srv', 'USER 7']
    const query = changes.map((change) => `changes=${encodeURIComponent(change)}`).join('&')
    const answer = await server.call(
      'POST',
      `/images/create?fromSrc=-&repo=own&tag=1&message=mine&${query}`,
      layer('a'),
    )
    expect(lines(answer.text).at(-1).status).toMatch(/^sha256:/)
    const image = (await server.call('GET', '/images/own:1/json')).json
    expect(image).toMatchObject({ Os: hostPlatform.os, Architecture: hostPlatform.architecture, Comment: 'mine' })
    expect(image.Config).toMatchObject({
      Cmd: ['top'],
      Env: ['A=1', 'B=two words'],
      ExposedPorts: { '80/tcp': {}, '53/udp': {} },
      Labels: { x: 'y' },
      WorkingDir: '/srv',
      User: '7',
    })
    expect(server.actions()).toEqual(['image import'])
  })

  it('refuses a bad change or a bad tar, and leaves nothing', async () => {
    const server = await imagesServer()
    expect((await server.call('POST', '/images/create?fromSrc=-&changes=RUN%20x', layer('a'))).status).toBe(400)
    expect((await server.call('POST', '/images/create?fromSrc=-', Buffer.from('junk'))).status).toBe(400)
    expect((await server.call('POST', '/images/create', layer('a'))).status).toBe(400)
    expect(await onDisk(server)).toEqual([])
  })
})

describe('Lists of images', () => {
  it('are filtered', async () => {
    const server = await imagesServer()
    await load(server, ['old:1'], { created: '2020-01-01T00:00:00Z', config: { Labels: { age: 'old' } } })
    await load(server, ['mid:1', 'team/mid:2'], { created: '2022-01-01T00:00:00Z' }, [layer('m')])
    await load(server, [], { created: new Date().toISOString() }, [layer('n')])
    const names = async (filters: object): Promise<string[]> => {
      const answer = await server.call('GET', `/images/json?${filter(filters)}`)
      if (answer.status !== 200) return [`${answer.status}`]
      return answer.json.map(({ RepoTags }: { RepoTags: string[] }) => RepoTags.join())
    }
    expect(await names({ until: ['1609459200'] })).toEqual(['old:1'])
    expect(await names({ until: ['2021-01-01T00:00:00Z'] })).toEqual(['old:1'])
    expect(await names({ until: ['1h30m'] })).toEqual(['mid:1,team/mid:2', 'old:1'])
    expect(await names({ reference: ['m*'] })).toEqual(['mid:1'])
    expect(await names({ reference: { 'team/*:2': true } })).toEqual(['team/mid:2'])
    expect(await names({ since: ['old:1'] })).toEqual(['', 'mid:1,team/mid:2'])
    expect(await names({ before: ['mid:1'] })).toEqual(['old:1'])
    expect(await names({ dangling: ['true'] })).toEqual([''])
    expect(await names({ dangling: ['false'] })).toEqual(['mid:1,team/mid:2', 'old:1'])
    expect(await names({ label: ['age=old'] })).toEqual(['old:1'])
    expect(await names({ colour: ['red'] })).toEqual(['400'])
    expect(await names({ until: ['soon'] })).toEqual(['400'])
    expect(await names({ before: ['nothing'] })).toEqual(['404'])
  })
})

describe('An image', () => {
  it('is found by id, the beginning of it, and every spelling of its name', async () => {
    const server = await imagesServer()
    const id = await load(server, ['web:1'])
    for (const name of [id, id.slice(7), id.slice(7, 19), 'web:1', 'docker.io/library/web:1', 'library/web:1']) {
      expect((await server.call('GET', `/images/${name}/json`)).json.Id, name).toBe(id)
    }
    for (const name of ['web', 'web:2', 'other/web:1', 'WEB']) {
      expect((await server.call('GET', `/images/${name}/json`)).status, name).toBe(404)
    }
  })

  it('has a history, the newest first', async () => {
    const server = await imagesServer()
    const history = [
      { created: '2024-01-01T00:00:00Z', created_by: 'ADD x' },
      { created: '2024-01-02T00:00:00Z', created_by: 'CMD y', empty_layer: true, comment: 'c' },
    ]
    const id = await load(server, ['web:1'], { history })
    expect((await server.call('GET', '/images/web:1/history')).json).toEqual([
      { Id: id, Created: 1704153600, CreatedBy: 'CMD y', Tags: ['web:1'], Size: 0, Comment: 'c' },
      { Id: '<missing>', Created: 1704067200, CreatedBy: 'ADD x', Tags: null, Size: 5, Comment: '' },
    ])
  })

  it('gets further names, and loses one that moves to another image', async () => {
    const server = await imagesServer()
    const id = await load(server, ['web:1'])
    expect((await server.call('POST', '/images/web:1/tag?repo=localhost:5000/web&tag=2')).status).toBe(201)
    expect((await server.call('GET', '/images/localhost:5000/web:2/json')).json.Id).toBe(id)
    await load(server, ['web:1'], {}, [layer('newer')])
    expect((await server.call('GET', `/images/${id}/json`)).json.RepoTags).toEqual(['localhost:5000/web:2'])
    for (const repo of ['', 'UPPER', 'a:b:c', `x@${id}`]) {
      expect((await server.call('POST', `/images/web:1/tag?repo=${repo}`)).status, repo).toBe(400)
    }
    expect((await server.call('POST', '/images/nothing/tag?repo=a')).status).toBe(404)
    expect(server.told.filter(({ Action }) => Action === 'tag').map(({ Actor }) => Actor.Attributes.name)).toEqual([
      'localhost:5000/web:2',
    ])
  })
})

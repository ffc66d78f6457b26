import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../images/digest.ts'
import { hostPlatform } from '../../images/platform.ts'
import { imagesServer } from './testing/images-server.ts'
import { layer, onDisk } from './testing/sample-images.ts'
import { type SampleEntry, tarOf } from './testing/sample-tars.ts'

const idOf = (letter: string): string => letter.repeat(64)

/** As docker 1.9 saved it. */
const legacyLayer = (letter: string, parent: string | undefined, data: Buffer, more: object = {}): SampleEntry[] => {
  const document = {
    id: idOf(letter),
    ...(parent === undefined ? {} : { parent: idOf(parent) }),
    ...hostPlatform,
    created: '2015-10-11T12:13:14.5Z',
    container_config: { Cmd: ['/bin/sh', '-c', `make ${letter}`] },
    docker_version: '1.9.1',
    Size: 7,
    ...more,
  }
  return [
    { name: `${idOf(letter)}/`, type: '5' },
    { name: `${idOf(letter)}/VERSION`, data: '1.0' },
    { name: `${idOf(letter)}/json`, data: JSON.stringify(document) },
    { name: `${idOf(letter)}/layer.tar`, data },
  ]
}

const repositories = (names: object): SampleEntry => ({ name: 'repositories', data: JSON.stringify(names) })
const base = layer('base')
const app = layer('app')
const tool = layer('tool')

describe('An archive from before docker 1.10', () => {
  it('is loaded with its names, its layers and the history that they tell', async () => {
    const server = await imagesServer()
    const tar = tarOf([
      ...legacyLayer('b', 'a', gzipSync(app), { config: { Cmd: ['app'] }, author: 'me' }),
      ...legacyLayer('a', undefined, base),
      ...legacyLayer('c', 'a', tool, { comment: 'unnamed' }),
      repositories({ app: { '1': idOf('b'), latest: idOf('b') }, 'localhost:5000/base': { old: idOf('a') } }),
    ])
    const answer = await server.call('POST', '/images/load', tar)
    expect(answer.status).toBe(200)
    for (const name of ['app:1', 'app:latest', 'localhost:5000/base:old']) {
      expect(answer.text).toContain(`Loaded image: ${name}`)
    }
    const { json: image } = await server.call('GET', '/images/app:1/json')
    expect(image).toMatchObject({ Author: 'me', Config: { Cmd: ['app'] }, Created: '2015-10-11T12:13:14.5Z' })
    expect(image.RootFS.Layers).toEqual([digestOf(base), digestOf(app)])
    const { json: history } = await server.call('GET', '/images/app:1/history')
    expect(history.map(({ CreatedBy }: { CreatedBy: string }) => CreatedBy)).toEqual([
      '/bin/sh -c make b',
      '/bin/sh -c make a',
    ])
    const { json: images } = await server.call('GET', '/images/json')
    expect(images).toHaveLength(3)
    expect((await server.call('GET', '/images/localhost:5000/base:old/json')).json.RootFS.Layers).toHaveLength(1)
  })

  it('has the id that dockerd gives it', async () => {
    const server = await imagesServer()
    const data = (name: string) => tarOf([{ name, data: 'x'.repeat(3_000) }])
    const common = { container: 'x', architecture: 'arm64', os: 'linux', variant: undefined }
    const tar = tarOf([
      ...legacyLayer('a', undefined, data('one'), common),
      ...legacyLayer('b', 'a', data('two'), { ...common, config: { Cmd: ['app'] }, author: 'me' }),
      repositories({ app: { '1': idOf('b') } }),
    ])
    await server.call('POST', '/images/load', tar)
    expect((await server.call('GET', '/images/app:1/json')).json.Id).toBe(
      'sha256:75c6e5fac2eae6e3795df0f586bdcebfb3fcc9ac4b7b6156c18e4bdc53b8fa65',
    )
  })

  it.each([
    ['names what is not there', [...legacyLayer('a', undefined, base), repositories({ x: { y: idOf('z') } })]],
    ['lacks a layer below', [...legacyLayer('b', 'a', app), repositories({ x: { y: idOf('b') } })]],
    ['is its own base', [...legacyLayer('a', 'a', base), repositories({ x: { y: idOf('a') } })]],
    ['lacks the files of a layer', [...legacyLayer('a', undefined, base).slice(0, 3), repositories({})]],
    ['holds no image', [repositories({})]],
    ['has names of another form', [...legacyLayer('a', undefined, base), repositories({ x: 'y' })]],
  ])('is refused when it %s, and nothing of it stays', async (_, entries) => {
    const server = await imagesServer()
    const answer = await server.call('POST', '/images/load', tarOf(entries))
    expect(JSON.parse(answer.text.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: expect.any(String) })
    expect(await onDisk(server)).toEqual([])
  })
})

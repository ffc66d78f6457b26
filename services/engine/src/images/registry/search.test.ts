// Searching: at an index as docker.io has one, and in the list of a real registry.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ImageApi, startImageApi } from './testing/image-api.ts'
import { inHeader } from './testing/registry-api.ts'
import { hasRegistry, type RegistryServer, registryUser, startRegistry } from './testing/registry-server.ts'
import { tarOf } from './testing/sample-image.ts'

const isRoot = process.getuid?.() === 0
const filter = (filters: object): string => `filters=${encodeURIComponent(JSON.stringify(filters))}`

/** What an index knows; one without any knows no search at all. */
async function startIndex(results?: readonly object[]): Promise<{ url: string; asked: string[]; server: Server }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    if (pathname !== '/v1/search' || results === undefined) return void response.writeHead(404).end('no')
    const word = searchParams.get('q') ?? ''
    const found = results.filter((one) => (one as { name: string }).name.includes(word))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results: found }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server }
}

const known = [
  { name: 'webserver', description: 'Serves', is_official: true, is_automated: false, star_count: 40 },
  { name: 'team/web', description: null, is_official: false, is_automated: true, star_count: 2 },
  { name: 'db', description: 'Keeps', is_official: true, is_automated: false, star_count: 9 },
]

describe.skipIf(!isRoot)('searching for images (root)', () => {
  let index: Awaited<ReturnType<typeof startIndex>>
  let mute: Awaited<ReturnType<typeof startIndex>>
  let api: ImageApi
  beforeAll(async () => {
    index = await startIndex(known)
    mute = await startIndex()
    api = await startImageApi({ mirrors: [mute.url, index.url] })
  })
  afterAll(async () => {
    await api?.stop()
    for (const { server } of [index, mute]) server?.close()
  })

  const search = async (query: string, version = '1.47') => {
    const response = await fetch(`${api.url}/v${version}/images/search?${query}`)
    // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
    return { status: response.status, told: (await response.json()) as any }
  }
  const names = async (query: string, version?: string): Promise<string[]> =>
    (await search(query, version)).told.map(({ name }: { name: string }) => name)

  it('tells what the index says of images, and of none that it is built by a registry', async () => {
    expect((await search('term=web')).told).toEqual([
      { name: 'webserver', description: 'Serves', is_official: true, is_automated: false, star_count: 40 },
      { name: 'team/web', description: '', is_official: false, is_automated: false, star_count: 2 },
    ])
    expect(await names('term=docker.io/db')).toEqual(['db'])
    expect(mute.asked).toContain('/v2/')
    expect(index.asked.at(-1)).toContain('q=db')
  })

  it('keeps to filters and the limit', async () => {
    expect(await names('term=web&limit=1')).toEqual(['webserver'])
    expect(await names('term=web&limit=1', '1.23')).toEqual(['webserver', 'team/web'])
    expect(await names(`term=web&${filter({ 'is-automated': ['true'] })}`)).toEqual([])
    expect(await names(`term=web&${filter({ 'is-automated': ['false'] })}`)).toEqual(['webserver', 'team/web'])
    expect(await names(`term=web&${filter({ 'is-official': ['false'] })}`)).toEqual(['team/web'])
    expect(await names(`term=web&${filter({ 'is-official': { true: true } })}`, '1.24')).toEqual(['webserver'])
    expect(await names(`term=web&${filter({ stars: ['3'] })}`)).toEqual(['webserver'])
  })

  it('refuses what makes no sense', async () => {
    const wrong = ['', 'term=', 'term=x&limit=101', 'term=x&limit=-1', 'term=x&limit=1.5', 'term=x&limit=many']
    for (const query of [...wrong, `term=x&${filter({ color: ['red'] })}`, `term=x&${filter({ stars: ['many'] })}`]) {
      expect((await search(query)).status, query).toBe(400)
    }
  })

  it('says which registry cannot be searched, and claims nothing', async () => {
    const host = new URL(mute.url).host
    const { status, told } = await search(`term=${host}/web`)
    expect(status).toBe(503)
    expect(told.message).toContain(`${host} cannot be searched: `)
    const closed = await search('term=127.0.0.1:1/web')
    expect(closed.status).toBe(503)
    expect(closed.told.message).toMatch(/^127\.0\.0\.1:1 cannot be searched: .*connection refused/)
  })

  describe.skipIf(!hasRegistry)('in a registry that has only a list (package docker-registry)', () => {
    let registry: RegistryServer
    beforeAll(async () => {
      registry = await startRegistry({ basicAuth: true })
      for (const path of ['team/web', 'team/webmail', 'db']) {
        const name = `${registry.host}/${path}`
        const body = new Uint8Array(tarOf('file', Buffer.from(path)))
        await (await fetch(`${api.url}/images/create?fromSrc=-&repo=${name}`, { method: 'POST', body })).text()
        await (await fetch(`${api.url}/images/${name}/push?tag=latest`, { method: 'POST', headers })).text()
      }
    })
    afterAll(() => registry?.stop())
    const headers = { 'x-registry-auth': inHeader(registryUser) }

    it('looks through the list, calls nothing official, and names images as they are pulled', async () => {
      const response = await fetch(`${api.url}/images/search?term=${registry.host}/WEB`, { headers })
      expect(await response.json()).toEqual(
        ['team/web', 'team/webmail'].map((path) => ({
          ...{ name: `${registry.host}/${path}`, description: '' },
          ...{ is_official: false, is_automated: false, star_count: 0 },
        })),
      )
    })

    it('needs the credentials that the registry wants', async () => {
      expect(await search(`term=${registry.host}/web`)).toMatchObject({
        status: 401,
        told: { message: expect.stringContaining('no basic auth credentials') },
      })
    })
  })
})

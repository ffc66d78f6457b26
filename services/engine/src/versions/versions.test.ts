// Versions in addresses, headers of all answers, and errors in the form of a version.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEcho } from './testing/echo-service.ts'

let echo: Awaited<ReturnType<typeof startEcho>>
beforeAll(async () => {
  echo = await startEcho()
})
afterAll(() => echo.stop())

const ask = (path: string, method = 'GET') => fetch(`${echo.url}${path}`, { method })

const seen = (response: Response): { params: Record<string, string>; ways: string[] } =>
  JSON.parse(Buffer.from(response.headers.get('x-seen') ?? '', 'base64').toString() || '{}')

const served = Array.from({ length: 30 }, (_, index) => `1.${18 + index}`)

describe('versions in addresses', () => {
  it('selects the rules by the prefix, from 1.18 to 1.47', async () => {
    expect(served.at(-1)).toBe('1.47')
    let earlier = Number.POSITIVE_INFINITY
    for (const version of served) {
      const response = await ask(`/v${version}/info`)
      expect(response.status).toBe(200)
      const ways = seen(response).ways.length
      expect(ways).toBeLessThanOrEqual(earlier)
      earlier = ways
    }
    expect(earlier).toBe(0)
  })

  it('takes addresses with their version, and those of clients that leave it out as of today', async () => {
    const response = await ask('/version')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(await (await ask('/v1.47/version')).text())
    expect(seen(response).ways).toEqual([])
  })

  it('refuses versions that are too new with 400 and says which is the newest', async () => {
    for (const version of ['1.48', '1.50', '2.0', '1.100', '99.99']) {
      const response = await ask(`/v${version}/containers/json`)
      expect(response.status).toBe(400)
      const message = `client version ${version} is too new. Maximum supported API version is 1.47`
      expect(await response.json()).toEqual({ message })
    }
  })

  it('refuses versions that are too old with 404, in the plain text of their time', async () => {
    for (const version of ['1.17', '1.0', '0.9']) {
      const response = await ask(`/v${version}/containers/json`)
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toMatch('text/plain')
      expect(await response.text()).toBe(
        `client version ${version} is too old. Minimum supported API version is 1.18, please upgrade your client to a newer version\n`,
      )
    }
  })

  it('knows no address behind what only looks like a version', async () => {
    const odd = ['/v1', '/v1/info', '/v1.47.1/info', '/v1.x/info', '/vv1.47/info', '/v-1.47/info', '/v1.47info']
    for (const path of [
      ...odd,
      `/v1.${'9'.repeat(400)}/info`,
      '/v1.47/v1.47/info',
      '/v1.47',
      '/v1.47/',
      '/v1.47?a=b',
    ]) {
      expect((await ask(path)).status, path.slice(0, 40)).toBe(404)
    }
    expect((await ask('/v1.47/info?a=b')).status).toBe(200)
    expect((await ask('/v01.047/info')).status).toBe(200)
  })

  it('lists networks under an address with a slash at its end, from 1.25 on', async () => {
    const plain = await (await ask('/v1.25/networks')).text()
    for (const path of ['/v1.25/networks/', '/v1.47/networks/?filters=%7B%7D', '/networks/']) {
      expect((await ask(path)).status, path).toBe(200)
    }
    expect(await (await ask('/v1.25/networks/')).text()).toBe(plain)
    expect((await ask('/v1.24/networks/')).status).toBe(404)
  })

  it('takes names of images with slashes, encoded or not', async () => {
    for (const name of ['host:5000/a/b', 'busybox', 'a/json', 'a%2Fb', 'json']) {
      for (const action of ['json', 'json?x=/y']) {
        const response = await ask(`/v1.30/images/${name}/${action}`)
        expect(response.status).toBe(200)
        expect(seen(response).params).toEqual({ name: decodeURIComponent(name) })
      }
    }
    expect(seen(await ask('/distribution/docker.io/library/x/json')).params).toEqual({ name: 'docker.io/library/x' })
    expect(seen(await ask('/images/a/b/tag?repo=c', 'POST')).params).toEqual({ name: 'a/b' })
  })
})

describe('every answer', () => {
  const answers = ['/info', '/v1.25/info', '/v1.18/info', '/v1.47/containers/x', '/v1.47/nowhere', '/v1.99/info']

  it('tells the newest version, errors too, whatever version was asked', async () => {
    for (const path of answers) expect((await ask(path)).headers.get('API-Version'), path).toBe('1.47')
  })

  it('tells whether it is experimental, errors too, in both spellings', async () => {
    for (const path of answers) {
      const { headers } = await ask(path)
      expect(headers.get('Vendor-Experimental'), path).toBe('false')
      expect(headers.get('Docker-Experimental'), path).toBe('false')
      expect(headers.get('Ostype'), path).toBe('linux')
      expect(headers.get('Server'), path).toMatch(/^Atoll\/\d/)
    }
  })
})

describe('errors', () => {
  const refused = [
    { path: '/containers/x', method: 'DELETE', status: 409, words: 'it is running' },
    { path: '/nowhere', method: 'GET', status: 404, words: 'page not found' },
    { path: '/info', method: 'POST', status: 405, words: 'not allowed' },
  ]

  it('are JSON from 1.24 on', async () => {
    for (const version of ['1.24', '1.25', '1.47']) {
      for (const { path, method, status, words } of refused) {
        const response = await ask(`/v${version}${path}`, method)
        expect(response.status).toBe(status)
        expect(response.headers.get('content-type')).toBe('application/json')
        const { message } = (await response.json()) as { message: string }
        expect(message).toContain(words)
      }
    }
  })

  it('are plain text before 1.24', async () => {
    for (const version of ['1.18', '1.23']) {
      for (const { path, method, status, words } of refused) {
        const response = await ask(`/v${version}${path}`, method)
        expect(response.status).toBe(status)
        expect(response.headers.get('content-type')).toMatch('text/plain')
        expect(await response.text()).toMatch(new RegExp(`${words}[^{}]*\n$`))
      }
    }
  })
})

import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownHosts } from '../own-host.ts'
import { type Sample, startSample } from '../testing/sample-service.ts'
import type { SiteFiles } from './site.ts'

const file = (text: string, contentType: string) => ({ body: Buffer.from(text), contentType })
const files: SiteFiles = {
  index: file('<p>index</p>', 'text/html; charset=utf-8'),
  assets: new Map([['main-1.js', { ...file('run()', 'text/javascript'), gzip: Buffer.from('packed') }]]),
}
let answers: (SiteFiles | { problem: string })[]
let sample: Sample
beforeAll(async () => {
  const load = async () => answers.shift() ?? files
  sample = await startSample({ options: { site: { path: '/console', isOwnHost: ownHosts(['atoll.example']), load } } })
})
afterAll(() => sample.stop())

/** As it is, where fetch would tidy the path up or refuse the header. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: sample.listener.port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.on('error', reject).end()
  })

describe('a page beside a service', () => {
  it('says why there is none, and looks again when it is asked again', async () => {
    answers = [{ problem: 'Install the bundler.' }]
    expect(await get('/console')).toMatchObject({ status: 503, text: 'Install the bundler.\n' })
    expect(await get('/console')).toMatchObject({ status: 200, text: '<p>index</p>' })
  })

  it('answers its address and every path below it that is no file, under a strict policy', async () => {
    answers = []
    for (const path of ['/console', '/console/', '/console/playground', '/console/a/b?c=d']) {
      const { status, headers, text } = await get(path)
      expect({ path, status, text }).toEqual({ path, status: 200, text: '<p>index</p>' })
      const policy = String(headers['content-security-policy'])
      expect(policy).toMatch(/^default-src 'none'; script-src 'self';/)
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|\*|http/)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
    }
    expect((await get('/console', {}, 'HEAD')).text).toBe('')
    expect((await get('/console', {}, 'POST')).status).toBe(405)
  })

  it('sends files that stay good for ever, packed where that is understood', async () => {
    const plain = await get('/console/assets/main-1.js')
    expect(plain).toMatchObject({ status: 200, text: 'run()', headers: { 'content-type': 'text/javascript' } })
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const packed = await get('/console/assets/main-1.js', { 'accept-encoding': 'br, gzip' })
    expect(packed).toMatchObject({ text: 'packed', headers: { 'content-encoding': 'gzip', vary: 'accept-encoding' } })
    expect((await get('/console/assets/main-2.js')).status).toBe(404)
  })

  it('reaches no file that is not in its table', async () => {
    const climbing = ['../../package.json', '..%2fpackage.json', '%2e%2e/package.json', '..%5cpackage.json', '%00']
    for (const name of [
      ...climbing,
      '....//etc/passwd',
      '/etc/passwd',
      '%2fetc%2fpasswd',
      '__proto__',
      'constructor',
    ]) {
      for (const folder of ['/console/', '/console/assets/']) {
        const { status, text } = await get(folder + name)
        // No file, so the page itself, or nothing.
        expect([200, 404], folder + name).toContain(status)
        if (status === 200) expect(text).toBe('<p>index</p>')
        expect(text).not.toMatch(/root:|"name"/)
      }
    }
  })

  it('answers under names of this server alone', async () => {
    const own = ['localhost', 'localhost:8080', 'LOCALHOST', 'a.localhost', '127.0.0.1:1', '[::1]:8080', '192.168.1.5']
    for (const host of [...own, 'atoll.example:443', 'Atoll.Example', 'localhost.']) {
      expect((await get('/console', { host })).status, host).toBe(200)
    }
    const foreign = ['evil.example', 'localhost.evil.example', 'atoll.example.evil.example', '127.0.0.1.evil.example']
    for (const host of [...foreign, 'evil.example:8080', 'user@localhost', 'localhost/a']) {
      for (const path of ['/console', '/console/assets/main-1.js']) {
        const { status, text } = await get(path, { host })
        expect({ host, status: [400, 421].includes(status) }).toEqual({ host, status: true })
        expect(text).not.toContain('index')
      }
    }
    for (const host of [undefined, '']) expect(ownHosts()(host)).toBe(false)
  })
})

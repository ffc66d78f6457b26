import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asUser, type Sample, startSample } from '../testing/sample-service.ts'

const origin = 'https://app.test'
let listed: Sample
let any: Sample
let none: Sample
beforeAll(async () => {
  listed = await startSample({ options: { cors: { origins: [origin], credentials: true, maxAgeSeconds: 60 } } })
  any = await startSample({ options: { cors: { origins: '*' } } })
  none = await startSample()
})
afterAll(() => Promise.all([listed.stop(), any.stop(), none.stop()]))

const preflight = (sample: Sample, from = origin) =>
  fetch(`${sample.url}/v1/things/1`, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization',
    },
  })

describe('cross-origin requests', () => {
  it('are preflighted without a key, for the origins configured', async () => {
    const response = await preflight(listed)
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('access-control-allow-methods')).toContain('DELETE')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization')
    expect(response.headers.get('access-control-allow-credentials')).toBe('true')
    expect(response.headers.get('access-control-max-age')).toBe('60')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect((await preflight(listed, 'https://evil.test')).headers.get('access-control-allow-origin')).toBe(null)
    expect((await preflight(any)).headers.get('access-control-allow-origin')).toBe('*')
  })

  it('carry the headers on answers and on errors, and expose ours', async () => {
    for (const headers of [{ origin, ...asUser }, { origin }]) {
      const response = await fetch(`${listed.url}/v1/things/1`, { headers })
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      expect(response.headers.get('access-control-expose-headers')).toMatch(
        /x-request-id.*x-ratelimit-remaining-tokens/,
      )
      expect(response.headers.get('vary')).toContain('Origin')
    }
    const unknown = await fetch(`${listed.url}/nowhere`, { headers: { origin } })
    expect([unknown.status, unknown.headers.get('access-control-allow-origin')]).toEqual([404, origin])
  })

  it('are nothing special unless configured; a plain OPTIONS never is', async () => {
    expect((await preflight(none)).status).toBe(405)
    const response = await fetch(`${none.url}/v1/things/1`, { headers: { origin, ...asUser } })
    expect(response.headers.get('access-control-allow-origin')).toBe(null)
    expect((await fetch(`${listed.url}/v1/things/1`, { method: 'OPTIONS' })).status).toBe(405)
    expect((await fetch(`${listed.url}/nowhere`, { method: 'OPTIONS' })).status).toBe(404)
  })

  it('with credentials from anywhere are refused at start', async () => {
    await expect(startSample({ options: { cors: { origins: '*', credentials: true } } })).rejects.toThrow(
      'list of origins',
    )
  })
})

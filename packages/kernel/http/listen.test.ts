import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asUser, type Sample, startSample } from './testing/sample-service.ts'

let sample: Sample
beforeAll(async () => {
  sample = await startSample()
})
afterAll(() => sample.stop())

const call = (path: string, init: RequestInit = {}) =>
  fetch(sample.url + path, { ...init, headers: { ...asUser, ...init.headers } })

describe('JSON routes', () => {
  it('answer with their schema, their status and the headers of the service', async () => {
    const response = await call('/v1/things/a%2Fb')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ id: 'a/b', owner: 'ada' })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    expect(response.headers.get('x-caller')).toBe('ada')
    expect(response.headers.get('x-thing')).toBe('yes')
  })

  it('take a JSON body', async () => {
    const body = { messages: [{ role: 'user', content: 'hello' }] }
    const response = await call('/v1/chat', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ ...body, n: 1 })
  })

  it('take a form with a file', async () => {
    const form = new FormData()
    form.append('file', new Blob(['hello']), 'h.txt')
    form.append('purpose', 'batch')
    const response = await call('/v1/files', { method: 'POST', body: form })
    expect(await response.json()).toMatchObject({ filename: 'h.txt', bytes: 5 })
    expect(response.status).toBe(200)
  })
})

import { expect, it } from 'vitest'
import { UpstreamSettings } from './settings.ts'

const given = { kind: 'upstream', model: 'tiny', replicas: ['http://127.0.0.1:8000/v1'] }

it('needs little', () => {
  const settings = UpstreamSettings.parse(given)
  expect(settings).toMatchObject({ retries: 2, timeouts: { connectMs: 5_000 }, health: { path: '/models' } })
})

it.each([
  ['no replica', { replicas: [] }],
  ['a password in a URL', { replicas: ['http://user:password@127.0.0.1/v1'] }],
  ['a query in a URL', { replicas: ['http://127.0.0.1/v1?key=secret'] }],
  ['another protocol', { replicas: ['ftp://127.0.0.1/v1'] }],
  ['an unknown name', { retrys: 1 }],
  ['two keys', { apiKey: 'sk-1', apiKeyEnv: 'KEY' }],
  ['a key with a line end', { apiKey: 'sk-1\r\nx: y' }],
  ['a header with a line end', { headers: { 'x-team': 'a\r\nb' } }],
  ['a header of the connection', { headers: { 'Content-Length': '7' } }],
])('refuses %s', (_what, more) => {
  expect(UpstreamSettings.safeParse({ ...given, ...more }).success).toBe(false)
})

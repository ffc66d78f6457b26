// Who may come in: three ways to send the token, constant-time comparison, failures by address, rotation.
import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it, vi } from 'vitest'
import { adminToken, describeHooksOnSqlite, hookToken } from '../testing/hooks-server.ts'

const nobody = { authorization: '' }
const wake = { text: 'The build failed' }

describeHooksOnSqlite('senders', (start) => {
  it('are let in by a Bearer token, by x-gateway-token and by the query (HOOK-004, HOOK-019, HOOK-020, HOOK-021, HOOK-022, HOOK-024)', async () => {
    const { post, noted, logged } = await start()
    expect((await post('/hooks/wake', wake)).status).toBe(200)
    expect((await post('/hooks/wake', wake, { ...nobody, 'x-gateway-token': hookToken })).status).toBe(200)
    const inQuery = await post(`/hooks/wake?token=${hookToken}`, wake, nobody)
    expect(inQuery.status).toBe(200)
    expect(inQuery.headers.get('deprecation')).toMatch(/^@\d+$/)
    expect(noted.events).toHaveLength(3)
    expect(logged()).not.toContain(hookToken)
  })

  it('are warned of in the log when the token is in the query, which is never logged (HOOK-023)', async () => {
    const { post, logged } = await start()
    await post('/hooks/wake', wake)
    expect(logged()).not.toContain('deprecated')
    await post(`/hooks/wake?token=${hookToken}`, wake, nobody)
    await post('/hooks/wake?token=a-wrong-guess', wake, nobody)
    const warned = logged()
      .split('\n')
      .filter((line) => line.includes('deprecated'))
    expect(warned).toHaveLength(1)
    expect(JSON.parse(warned[0] ?? '').level).toMatch(/warn|40/)
    expect(logged()).not.toContain(hookToken)
    expect(logged()).not.toContain('a-wrong-guess')
  })

  it('are refused with a query token where that is switched off', async () => {
    const { post, noted } = await start({ hooks: { queryToken: false } })
    expect((await post(`/hooks/wake?token=${hookToken}`, wake, nobody)).status).toBe(401)
    expect((await post(`/hooks/wake?token=${hookToken}`, wake)).status).toBe(200)
    expect(noted.events).toHaveLength(1)
  })

  it('are refused without a token, and with a wrong one in each place, at every hook, without any effect (HOOK-025, HOOK-026, HOOK-028, HOOK-029, HOOK-082, HOOK-083)', async () => {
    const mappings = [{ id: 'ci', match: { path: 'ci' }, messageTemplate: 'Look at {{text}}' }]
    const { post, noted, hooks } = await start({ hooks: { mappings, authFailures: { limit: 1000 } } })
    const body = { text: 'x', message: 'x' }
    for (const path of ['/hooks/wake', '/hooks/agent', '/hooks/ci', '/hooks/nothing']) {
      const wrong: [string, Record<string, string>][] = [
        [path, nobody],
        [path, { authorization: 'Bearer wrong' }],
        [path, { authorization: `Basic ${hookToken}` }],
        [path, { authorization: `Bearer ${hookToken}x` }],
        [path, { authorization: `Bearer ${hookToken.slice(0, -1)}` }],
        [path, { ...nobody, 'x-gateway-token': 'wrong' }],
        [`${path}?token=wrong`, nobody],
        [`${path}?token=`, nobody],
      ]
      for (const [url, headers] of wrong) {
        const { status, body: text } = await post(url, body, headers)
        expect([status, text], `${url} ${JSON.stringify(headers)}`).toEqual([401, 'Unauthorized'])
      }
    }
    expect(noted.events).toEqual([])
    expect(noted.runs).toEqual([])
    expect(await hooks.desk.list({ limit: 10, order: 'asc' })).toEqual([])
  })

  it('use the Bearer token where it is not empty, whatever stands in x-gateway-token', async () => {
    const { post } = await start()
    expect((await post('/hooks/wake', wake, { 'x-gateway-token': 'wrong' })).status).toBe(200)
    const wrong = { authorization: 'Bearer wrong', 'x-gateway-token': hookToken }
    expect((await post('/hooks/wake', wake, wrong)).status).toBe(401)
  })

  it('are not let in by the gateway’s own admin token, nor the admin by theirs (HOOK-016, HOOK-027)', async () => {
    const { post, url } = await start()
    expect((await post('/hooks/wake', wake, { authorization: `Bearer ${adminToken}` })).status).toBe(401)
    const look = (token: string) =>
      fetch(`${url}/hooks-admin/deliveries`, { headers: { authorization: `Bearer ${token}` } })
    expect((await look(hookToken)).status).toBe(401)
    expect((await look(adminToken)).status).toBe(200)
  })

  it('are told which method is meant before anything else, and that counts as no failure', async () => {
    const { post, url } = await start({ hooks: { authFailures: { limit: 3 } } })
    for (const path of ['/hooks/wake', '/hooks/agent', '/hooks/anything']) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
        const response = await fetch(url + path, { method })
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      }
    }
    expect((await post('/hooks/wake', wake)).status).toBe(200)
  })

  it('have to wait after too many failures, but never with the right token; a success before that forgets them', async () => {
    const clock = new ManualClock(Date.now())
    const { post } = await start({ clock, hooks: { authFailures: { limit: 3, seconds: 60 } } })
    const wrong = { authorization: 'Bearer wrong' }
    const fail = async (times: number) => {
      for (let i = 0; i < times; i++) expect((await post('/hooks/wake', wake, wrong)).status).toBe(401)
    }
    await fail(2)
    expect((await post('/hooks/wake', wake)).status).toBe(200)
    await fail(3)
    for (let i = 0; i < 2; i++) {
      const refused = await post('/hooks/wake', wake, wrong)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
      expect((await post('/hooks/wake', wake)).status).toBe(200)
    }
    clock.advanceSeconds(61)
    await fail(3)
  })

  it('are known by the address that a trusted proxy names, and by no other word on it', async () => {
    const authFailures = { limit: 2 }
    const behind = await start({ hooks: { authFailures, trustedProxies: ['127.0.0.0/8'] } })
    const from = (address: string, token = 'wrong') => ({
      authorization: `Bearer ${token}`,
      'x-forwarded-for': address,
    })
    for (let i = 0; i < 2; i++) await behind.post('/hooks/wake', wake, from('1.1.1.1, 203.0.113.7'))
    expect((await behind.post('/hooks/wake', wake, from('203.0.113.7'))).status).toBe(429)
    expect((await behind.post('/hooks/wake', wake, from('1.1.1.1'))).status).toBe(401)

    const open = await start({ hooks: { authFailures } })
    await open.post('/hooks/wake', wake, from('198.51.100.1'))
    await open.post('/hooks/wake', wake, from('198.51.100.2'))
    expect((await open.post('/hooks/wake', wake, from('198.51.100.3'))).status).toBe(429)
    expect((await open.post('/hooks/wake', wake, from('198.51.100.3', hookToken))).status).toBe(200)
  })

  it('with a token for some mappings open those alone', async () => {
    const mappings = [
      { id: 'ci', match: { path: 'ci' }, messageTemplate: 'ci' },
      { id: 'mail', match: { path: 'mail' }, messageTemplate: 'mail' },
    ]
    const tokens = [{ id: 'builds', token: 'token-of-the-builds', mappings: ['ci'] }]
    const { post, hooks } = await start({ hooks: { mappings, tokens } })
    const builds = { authorization: 'Bearer token-of-the-builds' }
    expect((await post('/hooks/ci', {}, builds)).status).toBe(202)
    for (const path of ['mail', 'wake', 'agent', 'none']) {
      expect((await post(`/hooks/${path}`, { text: 'x', message: 'x' }, builds)).status, path).toBe(401)
    }
    const [delivery] = await hooks.desk.list({ limit: 1, order: 'desc' })
    expect(delivery).toMatchObject({ sender: 'builds', mapping: 'ci', path: 'ci' })
  })

  it('move where “last” leads only with a token that says so, whatever their bodies say (HOOK-056, HOOK-057)', async () => {
    const tokens = [{ id: 'mine', token: 'token-of-the-operator', setsRoute: true }]
    const { post, hooks } = await start({ hooks: { tokens } })
    const asked = { message: 'Hi', channel: 'irc', to: '#elsewhere', setsRoute: true }
    const actionOf = async (headers?: Record<string, string>) => {
      const { body } = await post('/hooks/agent', asked, headers)
      return (await hooks.desk.get(body.runId))?.action
    }
    expect(await actionOf()).not.toHaveProperty('setsRoute')
    expect(await actionOf({ authorization: 'Bearer token-of-the-operator' })).toMatchObject({ setsRoute: true })
  })

  it('with an old token are refused as soon as the configuration is read again', async () => {
    const { post, hooks } = await start()
    const { HooksConfig } = await import('../config.ts')
    hooks.reload(HooksConfig.parse({ token: 'another-hook-token', adminToken }))
    expect((await post('/hooks/wake', wake)).status).toBe(401)
    expect((await post('/hooks/wake', wake, { authorization: 'Bearer another-hook-token' })).status).toBe(200)
    expect(() => hooks.reload(HooksConfig.parse({ token: adminToken, adminToken }))).toThrow('hooks.token')
    expect((await post('/hooks/wake', wake, { authorization: 'Bearer another-hook-token' })).status).toBe(200)
  })
})

it('compares digests of one length, and every one of them, whichever fits', async () => {
  const crypto = await import('node:crypto')
  const { digestOf, findToken } = await import('./sender-tokens.ts')
  const compared = vi.fn(crypto.timingSafeEqual)
  const tokens = ['first', 'second, which is longer', 'third'].map((id) => {
    const digest = digestOf(id)
    return { id, digest }
  })
  expect(new Set(tokens.map(({ digest }) => digest.length))).toEqual(new Set([32]))
  for (const given of ['first', 'third', 'firs', 'first ', 'wrong', '', undefined]) {
    compared.mockClear()
    const found = findToken(tokens, given, compared)
    expect(compared).toHaveBeenCalledTimes(3)
    expect(compared.mock.calls.every(([one, other]) => one.byteLength === 32 && other.byteLength === 32)).toBe(true)
    expect(found?.id).toBe(given === 'first' || given === 'third' ? given : undefined)
  }
})

import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { Caller } from '../testing/caller.ts'
import {
  adminEmail,
  adminPassword,
  type ClusterServer,
  describeClusterOnSqlite,
  userPassword,
} from '../testing/cluster-server.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { keptSecret } from './secrets.ts'

const withHeader = ({ url }: ClusterServer, authorization: string) => new Caller(url, authorization)
const tokenOf = async (caller: Caller, body?: object): Promise<string> =>
  (await caller.call('POST', '/v1/users/authorize', body)).body.access_token
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describeClusterOnSqlite('logging in', (start) => {
  it('takes credentials that are right; all else gets 401 and is told how to log in', async () => {
    const server = await start()
    const { nobody, url } = server
    const refused = [
      nobody,
      Caller.basic(url, adminEmail, 'wrong-password'),
      Caller.basic(url, 'nobody@cluster.test', adminPassword),
      withHeader(server, 'JWT a.b.c'),
    ]
    for (const caller of refused) {
      const { status, headers, body } = await caller.call('GET', '/v1/nodes')
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/^Basic realm=/)
      expect(body.message).toEqual(expect.any(String))
    }
    for (const header of ['Basic', 'Basic !!!', 'Digest abc', `Basic ${Buffer.from('no-colon').toString('base64')}`]) {
      expect((await withHeader(server, header).call('GET', '/v1/nodes')).status, header).toBe(400)
    }
    expect((await Caller.basic(url, adminEmail.toUpperCase(), adminPassword).call('GET', '/v1/nodes')).status).toBe(200)
  })

  it('tells nothing about what exists to those who may not know', async () => {
    const { nobody, user, url } = await start()
    const none = await user('none')
    const paths = ['/v1/users/1', '/v1/users/999', '/v1/modules/x', '/v1/actions/x', '/v1/nodes/1', '/v1/nodes/2']
    for (const path of paths) {
      expect((await nobody.call('GET', path)).status, path).toBe(401)
      expect((await none.call('GET', path)).status, path).toBe(403)
    }
    const wrong = await Caller.basic(url, adminEmail, 'wrong-password').call('GET', '/v1/nodes')
    const unknown = await Caller.basic(url, 'nobody@cluster.test', 'wrong-password').call('GET', '/v1/nodes')
    expect(wrong.body).toEqual(unknown.body)
  })

  it('gives tokens for 300 seconds unless asked for others, from a header or from a body', async () => {
    const server = await start()
    const token = await tokenOf(server.admin)
    expect(claimsOf(token).exp - claimsOf(token).iat).toBe(300)
    expect((await withHeader(server, `JWT ${token}`).call('GET', '/v1/users')).status).toBe(200)
    expect((await withHeader(server, `Bearer ${token}`).call('GET', '/v1/users')).status).toBe(200)
    const login = { username: adminEmail, password: adminPassword, ttl: 86_400 }
    const long = claimsOf(await tokenOf(server.nobody, login))
    expect(long.exp - long.iat).toBe(86_400)
    for (const ttl of [0, 86_401, 1.5, '300', -1]) {
      expect((await server.admin.call('POST', '/v1/users/authorize', { ttl })).status, String(ttl)).toBe(400)
    }
    expect((await server.nobody.call('POST', '/v1/users/authorize')).status).toBe(401)
    expect((await server.nobody.call('POST', '/v1/users/authorize', { username: adminEmail })).status).toBe(400)
    const wrong = { username: adminEmail, password: 'wrong-password' }
    expect((await server.nobody.call('POST', '/v1/users/authorize', wrong)).status).toBe(401)
  })

  it('renews tokens that still hold, and no others', async () => {
    let now = Date.now()
    const clock = { now: () => now }
    const server = await start({ clock })
    const bearer = withHeader(server, `JWT ${await tokenOf(server.admin, { ttl: 60 })}`)
    now += 59_000
    const renewed = (await bearer.call('POST', '/v1/users/refresh_jwt', { ttl: 600 })).body.access_token
    now += 2_000
    expect((await bearer.call('GET', '/v1/users')).body.message).toContain('expired')
    expect((await bearer.call('POST', '/v1/users/refresh_jwt')).status).toBe(401)
    expect((await withHeader(server, `JWT ${renewed}`).call('GET', '/v1/users')).status).toBe(200)
    expect((await server.admin.call('POST', '/v1/users/refresh_jwt')).status).toBe(401)
  })

  it('refuses tokens that somebody else made or changed', async () => {
    const server = await start()
    const [header = '', claims = '', signature = ''] = (await tokenOf(server.admin)).split('.')
    const secret = await keptSecret(server.kernel.db, 'jwt')
    const sign = (text: string, key: Buffer | string) => createHmac('sha256', key).update(text).digest('base64url')
    const forged = encode({ ...claimsOf(`.${claims}`), exp: 9_999_999_999 })
    const without = encode({ alg: 'none', typ: 'JWT' })
    const tokens = [
      `${header}.${forged}.${signature}`,
      `${header}.${forged}.${sign(`${header}.${forged}`, 'guessed')}`,
      `${without}.${forged}.`,
      `${without}.${forged}.${sign(`${without}.${forged}`, secret)}`,
      `${header}.${encode({ sub: '1' })}.${sign(`${header}.${encode({ sub: '1' })}`, secret)}`,
      `${header}.${claims}`,
      'x'.repeat(5_000),
    ]
    for (const token of tokens) {
      expect((await withHeader(server, `JWT ${token}`).call('GET', '/v1/users')).status, token.slice(0, 80)).toBe(401)
    }
  })

  it('ends tokens with their user, with a new password, and goes by the role of now', async () => {
    const server = await start()
    const { admin, user } = server
    const self = await user('admin')
    const bearer = withHeader(server, `JWT ${await tokenOf(self)}`)
    expect((await bearer.call('GET', '/v1/users')).status).toBe(200)
    await admin.call('PUT', `/v1/users/${self.uid}`, { role: 'db_viewer' })
    expect((await bearer.call('GET', '/v1/users')).status).toBe(403)
    await admin.call('PUT', `/v1/users/${self.uid}`, { password: 'changed-password' })
    expect((await bearer.call('GET', '/v1/nodes')).body.message).toContain('password has changed')
    const second = withHeader(server, `JWT ${await tokenOf(Caller.basic(server.url, self.email, 'changed-password'))}`)
    expect((await second.call('GET', '/v1/nodes')).status).toBe(200)
    await admin.call('DELETE', `/v1/users/${self.uid}`)
    expect((await second.call('GET', '/v1/nodes')).body.message).toContain('user is gone')
  })

  it('limits wrong passwords by user and address, also many at once, and locks nobody else out', async () => {
    const { url, admin, user } = await start()
    const victim = await user('db_viewer')
    const guess = (email: string, password: string) => Caller.basic(url, email, password).call('GET', '/v1/nodes')
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => guess(victim.email, `guess-number-${at}`)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited).toHaveLength(7)
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await guess(victim.email, userPassword)).status).toBe(429)
    expect((await admin.call('GET', '/v1/nodes')).status).toBe(200)
    let guesses = 0
    while ((await guess(`user-${guesses}@cluster.test`, 'wrong-password')).status === 401) guesses++
    expect(guesses).toBeLessThan(40)
    const told = (await admin.call('GET', '/v1/logs')).body.filter(
      ({ type }: { type: string }) => type === 'login_limited',
    )
    expect(told).toMatchObject([{ severity: 'WARNING', message: expect.stringContaining('127.0.0.1') }])
    // Who had logged in before the guessing began goes on.
    expect((await admin.call('GET', '/v1/nodes')).status).toBe(200)
  })

  it('lets many requests of one user begin at the same moment', async () => {
    const { user } = await start()
    const self = await user('db_viewer')
    const answers = await Promise.all(Array.from({ length: 20 }, () => self.call('GET', '/v1/nodes')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('keeps passwords and tokens out of logs, audit and database', async () => {
    const server = await start()
    const secret = 'a-password-to-look-for'
    const asked = { email: 'pat@cluster.test', password: secret, role: 'db_viewer' }
    const { body } = await server.admin.call('POST', '/v1/users', asked)
    await server.admin.call('PUT', `/v1/users/${body.uid}`, { password: `${secret}-2` })
    const token = await tokenOf(server.nobody, { username: 'pat@cluster.test', password: `${secret}-2` })
    await withHeader(server, `JWT ${token}`).call('GET', '/v1/nodes')
    await Caller.basic(server.url, 'pat@cluster.test', secret).call('GET', '/v1/nodes')
    const { queries } = server.kernel.db
    const kept = [
      await queries.selectFrom('audit_entries').selectAll().execute(),
      await queries.selectFrom('cluster_events').selectAll().execute(),
      await queries.selectFrom('cluster_users').selectAll().execute(),
    ]
    const everything = server.logged() + JSON.stringify(kept)
    expect(everything).toContain('pat@cluster.test')
    expect(everything).not.toContain(secret)
    expect(everything).not.toContain(Buffer.from(`pat@cluster.test:${secret}`).toString('base64').slice(0, 30))
    expect(everything).not.toContain(token)
  })
})

it('a password is kept with a strong hash and a salt of its own', async () => {
  const [one, other] = await Promise.all([hashPassword('a-password'), hashPassword('a-password')])
  expect(one).toMatch(/^scrypt\$32768\$8\$1\$/)
  expect(one).not.toBe(other)
  expect(await isPassword('a-password', one)).toBe(true)
  expect(await isPassword('a-passwore', one)).toBe(false)
})

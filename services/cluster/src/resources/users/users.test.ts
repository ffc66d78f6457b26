import { expect, it } from 'vitest'
import { Caller } from '../../testing/caller.ts'
import {
  adminEmail,
  adminPassword,
  type ClusterServer,
  describeCluster,
  userPassword,
} from '../../testing/cluster-server.ts'

const newUser = { email: 'Pat@cluster.test', password: 'a-long-password', role: 'db_viewer', name: 'Pat' }

describeCluster('users', (start) => {
  it('are made, listed, shown, changed and deleted, and their passwords are never shown', async () => {
    const { admin, url } = await start()
    const made = await admin.call('POST', '/v1/users', newUser)
    expect(made).toMatchObject({
      status: 200,
      body: {
        uid: 2,
        email: 'pat@cluster.test',
        name: 'Pat',
        role: 'db_viewer',
        status: 'active',
        email_alerts: false,
      },
    })
    expect(JSON.stringify(made.body)).not.toMatch(/scrypt|a-long-password/)
    expect((await admin.call('GET', '/v1/users')).body.map(({ uid }: { uid: number }) => uid)).toEqual([1, 2])
    const change = { name: 'Patricia', role: 'cluster_viewer', email_alerts: true, bdbs_email_alerts: ['1'] }
    expect(await admin.call('PUT', '/v1/users/2', change)).toMatchObject({ status: 200, body: change })
    expect((await admin.call('GET', '/v1/users/2')).body).toMatchObject(change)
    expect((await admin.call('DELETE', '/v1/users/2')).status).toBe(200)
    expect((await admin.call('GET', '/v1/users/2')).status).toBe(404)
    expect((await Caller.basic(url, newUser.email, newUser.password).call('GET', '/v1/nodes')).status).toBe(401)
    expect((await admin.call('POST', '/v1/users', newUser)).body.uid).toBe(3)
  })

  const refused: [what: string, change: object, status: number, code: string | undefined, words: string][] = [
    ['no email', { email: undefined }, 400, undefined, 'email'],
    ['something else for an email', { email: 'pat' }, 400, undefined, 'email'],
    ['no password', { password: undefined }, 400, undefined, 'password'],
    ['a short password', { password: 'short' }, 400, 'password_not_complex', '8 to 128'],
    ['a password of one letter', { password: 'aaaaaaaaaaaa' }, 400, 'password_not_complex', 'different'],
    ['an unknown role', { role: 'root' }, 400, undefined, 'role'],
    ['an unknown field', { colour: 'red' }, 400, undefined, 'colour'],
    ['an email that is taken', { email: adminEmail.toUpperCase() }, 409, 'email_already_exists', adminEmail],
    ['a name that is taken', { name: 'Administrator' }, 409, 'name_already_exists', 'Administrator'],
  ]

  it('are refused with a code and a message that say what is wrong, and nothing is made', async () => {
    const { admin } = await start()
    for (const [what, change, status, code, words] of refused) {
      const answer = await admin.call('POST', '/v1/users', { ...newUser, ...change })
      expect(answer, what).toMatchObject({ status, body: { message: expect.stringContaining(words) } })
      expect(answer.body.error_code, what).toBe(code)
    }
    expect((await admin.call('GET', '/v1/users')).body).toHaveLength(1)
  })

  it('exist once each, however many are made at the same moment', async () => {
    const { admin } = await start()
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.call('POST', '/v1/users', newUser)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  })

  it('include an admin always', async () => {
    const { admin } = await start()
    const last = { status: 406, body: { error_code: 'change_last_admin_role_not_allowed' } }
    expect(await admin.call('PUT', '/v1/users/1', { role: 'db_viewer' })).toMatchObject(last)
    expect(await admin.call('DELETE', '/v1/users/1')).toMatchObject(last)
    expect((await admin.call('POST', '/v1/users', { ...newUser, role: 'admin' })).status).toBe(200)
    expect((await admin.call('DELETE', '/v1/users/1')).status).toBe(200)
  })

  it('may change their own name and password, and nothing else', async () => {
    const { url, user } = await start()
    const self = await user('db_viewer')
    const own = `/v1/users/${self.uid}`
    expect((await self.call('GET', own)).body.email).toBe(self.email)
    expect((await self.call('GET', '/v1/users/1')).status).toBe(403)
    expect((await self.call('PUT', own, { role: 'admin' })).status).toBe(403)
    expect((await self.call('PUT', own, { email: 'other@cluster.test' })).status).toBe(403)
    expect((await self.call('PUT', '/v1/users/1', { name: 'me' })).status).toBe(403)
    expect((await self.call('PUT', '/v1/users/999', { name: 'me' })).status).toBe(403)
    expect(await self.call('PUT', own, { password: userPassword })).toMatchObject({
      status: 406,
      body: { error_code: 'new_password_same_as_current' },
    })
    expect((await self.call('PUT', own, { name: 'myself', password: 'another-password' })).status).toBe(200)
    expect((await self.call('GET', own)).status).toBe(401)
    const again = Caller.basic(url, self.email, 'another-password', self.uid)
    expect((await again.call('GET', own)).body.name).toBe('myself')
  })

  it('who manage users can neither become admins nor touch one', async () => {
    const { user, admin } = await start()
    const manager = await user('user_manager')
    expect((await manager.call('POST', '/v1/users', { ...newUser, role: 'admin' })).status).toBe(403)
    expect((await manager.call('PUT', `/v1/users/${manager.uid}`, { role: 'admin' })).status).toBe(403)
    expect((await manager.call('PUT', '/v1/users/1', { password: 'taken-over-now' })).status).toBe(403)
    expect((await manager.call('DELETE', '/v1/users/1')).status).toBe(403)
    const made = await manager.call('POST', '/v1/users', newUser)
    expect(made.status).toBe(200)
    expect((await manager.call('DELETE', `/v1/users/${made.body.uid}`)).status).toBe(200)
    expect((await admin.call('GET', '/v1/users/1')).body.role).toBe('admin')
  })

  it('are there again after a restart, with the first admin as it was', async () => {
    const first = await start()
    const known = await first.user('db_member')
    await first.admin.call('PUT', '/v1/users/1', { password: 'changed-by-its-owner' })
    await first.close()
    const second: ClusterServer = await start({ after: first })
    const basic = (email: string, password: string) => Caller.basic(second.url, email, password)
    expect((await basic(known.email, userPassword).call('GET', '/v1/modules')).status).toBe(200)
    expect((await basic(adminEmail, adminPassword).call('GET', '/v1/users')).status).toBe(401)
    expect((await basic(adminEmail, 'changed-by-its-owner').call('GET', '/v1/users')).status).toBe(200)
  })
})

// Every role on every route.
import { expect, it } from 'vitest'
import { describeClusterOnSqlite } from '../testing/cluster-server.ts'
import { modulePackage } from '../testing/module-packages.ts'
import { permissionsOf } from './roles.ts'
import { type Role, roles } from './schema.ts'

const viewers: Role[] = ['db_viewer', 'db_member', 'cluster_viewer', 'cluster_member', 'user_manager', 'admin']
const members: Role[] = ['db_member', 'cluster_member', 'admin']
const managers: Role[] = ['user_manager', 'admin']

interface Case {
  request: [method: string, path: string, body?: unknown]
  /** Of those who may. */
  status: number
  allowed: readonly Role[]
}

const cases: Case[] = [
  { request: ['GET', '/v1/cluster'], status: 200, allowed: viewers },
  { request: ['GET', '/v1/cluster/module-capabilities'], status: 200, allowed: viewers },
  { request: ['GET', '/v1/nodes'], status: 200, allowed: viewers },
  { request: ['GET', '/v1/nodes/1'], status: 200, allowed: viewers },
  { request: ['GET', '/v1/modules'], status: 200, allowed: viewers },
  { request: ['GET', '/v1/modules/none'], status: 404, allowed: viewers },
  { request: ['GET', '/v1/actions'], status: 200, allowed: viewers },
  { request: ['GET', '/v2/actions'], status: 200, allowed: viewers },
  { request: ['GET', '/v1/actions/none'], status: 404, allowed: viewers },
  { request: ['GET', '/v2/actions/none'], status: 404, allowed: viewers },
  { request: ['GET', '/v1/logs'], status: 200, allowed: viewers.filter((role) => role !== 'db_viewer') },
  { request: ['GET', '/v1/users'], status: 200, allowed: managers },
  { request: ['GET', '/v1/users/1'], status: 200, allowed: managers },
  { request: ['POST', '/v1/users', {}], status: 400, allowed: managers },
  { request: ['PUT', '/v1/users/999', {}], status: 404, allowed: managers },
  { request: ['DELETE', '/v1/users/999'], status: 404, allowed: managers },
  { request: ['POST', '/v1/modules', {}], status: 400, allowed: ['admin'] },
  { request: ['POST', '/v2/modules', {}], status: 400, allowed: ['admin'] },
  { request: ['DELETE', '/v1/modules/none'], status: 404, allowed: ['admin'] },
  { request: ['DELETE', '/v2/modules/none'], status: 404, allowed: ['admin'] },
  { request: ['GET', '/v1/audit'], status: 200, allowed: ['admin'] },
  { request: ['GET', '/v1/audit/verify'], status: 200, allowed: ['admin'] },
  { request: ['POST', '/v1/users/authorize'], status: 200, allowed: roles },
]

describeClusterOnSqlite('roles', (start) => {
  it('decide on every route who may and who may not', async () => {
    const server = await start()
    const tested = new Set(
      cases.map(({ request: [method, path] }) => `${method} ${path.replace(/\/(1|999|none)$/, '/:uid')}`),
    )
    const served = server.core.routes.map(({ method, path }) => `${method} ${path}`)
    expect(served.filter((route) => !tested.has(route))).toEqual(['POST /v1/users/refresh_jwt'])
    for (const role of roles) {
      const caller = await server.user(role)
      for (const { request, status, allowed } of cases) {
        const expected = allowed.includes(role) ? status : 403
        const answer = await caller.call(...request)
        expect(answer.status, `${role}: ${request[0]} ${request[1]}: ${JSON.stringify(answer.body)}`).toBe(expected)
      }
    }
    for (const { request } of cases) expect((await server.nobody.call(...request)).status, request[1]).toBe(401)
  })

  it('keep those without the permission from changing anything, and that they tried is on record', async () => {
    const { user, admin } = await start()
    const member = await user('cluster_member')
    const refused = await member.upload('/v2/modules', modulePackage())
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('update_cluster') } })
    expect((await admin.call('GET', '/v1/modules')).body).toEqual([])
    const [newest] = (await admin.call('GET', '/v1/audit?limit=1')).body
    expect(newest).toMatchObject({ user: member.email, role: 'cluster_member', path: '/v2/modules', status: 403 })
  })
})

it('the permission to upgrade modules of databases belongs to those who administer databases', () => {
  for (const permission of ['edit_bdb_module', 'update_bdb_with_action'] as const) {
    expect(roles.filter((role) => permissionsOf(role).has(permission)).sort()).toEqual([...members].sort())
  }
  expect(permissionsOf('none').size).toBe(0)
})

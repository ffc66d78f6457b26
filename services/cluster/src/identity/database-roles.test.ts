// Every role on every route of databases, shards and upgrades.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/caller.ts'
import { startWholeCluster, type WholeCluster } from '../testing/whole-cluster.ts'
import { type Role, roles } from './schema.ts'

const viewers: Role[] = ['db_viewer', 'db_member', 'cluster_viewer', 'cluster_member', 'user_manager', 'admin']
const members: Role[] = ['db_member', 'cluster_member', 'admin']
const password = 'password-of-a-user'
const modules = [{ current_module: 'one', new_module: 'two' }]

interface Case {
  /** For those who may. */
  status: number
  allowed: readonly Role[]
  body?: unknown
}

/** There is no database: whoever may is told so. */
const cases: Record<string, Case> = {
  'GET /v1/bdbs': { status: 200, allowed: viewers },
  'POST /v1/bdbs': { status: 400, allowed: members, body: {} },
  'GET /v1/bdbs/:uid': { status: 404, allowed: viewers },
  'PUT /v1/bdbs/:uid': { status: 404, allowed: members, body: { name: 'other' } },
  'DELETE /v1/bdbs/:uid': { status: 404, allowed: members },
  'POST /v1/bdbs/:uid/command': { status: 404, allowed: members, body: { command: 'PING' } },
  'GET /v1/bdbs/:uid/shards': { status: 404, allowed: viewers },
  'GET /v1/shards': { status: 200, allowed: viewers },
  'GET /v1/shards/:uid': { status: 404, allowed: viewers },
  'GET /v1/endpoints': { status: 200, allowed: viewers },
  'POST /v1/modules/upgrade/bdb/:uid': { status: 404, allowed: members, body: { modules } },
  'POST /v1/bdbs/:uid/modules/upgrade': { status: 404, allowed: members, body: { modules } },
  'POST /v1/bdbs/:uid/upgrade': { status: 404, allowed: members, body: { modules } },
  'POST /v1/actions/:uid/cancel': { status: 404, allowed: ['admin'] },
}

describe('roles and databases', () => {
  let whole: WholeCluster
  const callers = new Map<Role, Caller>()

  beforeAll(async () => {
    whole = await startWholeCluster()
    for (const role of roles) {
      const email = `user-${role}@cluster.test`
      const { status } = await whole.admin.call('POST', '/v1/users', { email, password, role })
      expect(status).toBe(200)
      callers.set(role, Caller.basic(whole.admin.url, email, password))
    }
  }, 60_000)
  afterAll(() => whole.stop())

  const call = (caller: Caller, route: string) => {
    const [method = '', path = ''] = route.split(' ')
    return caller.call(method, path.replace(':uid', '999'), cases[route]?.body)
  }

  it('every route of them is here', () => {
    const ofDatabases = /\/(bdbs?|shards|endpoints|cancel)(\/|$)/
    const served = whole.cluster.service.routes.map(({ method, path }) => `${method} ${path}`)
    expect(served.filter((route) => ofDatabases.test(route)).sort()).toEqual(Object.keys(cases).sort())
  })

  it.each(roles)('MOD-023 %s may do what the role says, and nothing else', async (role) => {
    for (const [route, { status, allowed }] of Object.entries(cases)) {
      const answer = await call(callers.get(role)!, route)
      const expected = allowed.includes(role) ? status : 403
      expect(answer.status, `${route}: ${JSON.stringify(answer.body)}`).toBe(expected)
    }
  })

  it('nobody may do anything without a name, or with a wrong password', async () => {
    const url = whole.admin.url
    for (const route of Object.keys(cases)) {
      expect((await call(new Caller(url), route)).status, route).toBe(401)
    }
    expect((await call(Caller.basic(url, 'admin@cluster.test', 'wrong'), 'GET /v1/bdbs')).status).toBe(401)
    expect((await whole.admin.call('GET', '/v1/bdbs')).body).toEqual([])
  })
})

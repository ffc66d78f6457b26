// Every administration endpoint with every kind of key, for objects of this organization, of another, and of nobody.
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'
import { type MatrixKey, makeKeys } from './testing/key-matrix/keys.ts'
import { absentObjects, makeObjects, type Objects, type Owner } from './testing/key-matrix/objects.ts'
import { type AdminRoute, granted, nameOf, parametersOf, send, withoutIds } from './testing/key-matrix/requests.ts'

interface World {
  platform: TestPlatform
  owners: { ours: Owner; theirs: Owner }
  ours: Objects
  theirs: Objects
}

interface Cell {
  name: string
  expected: unknown
  found: unknown
}

async function makeWorld(platform: TestPlatform): Promise<World> {
  const { identity } = platform.platform
  const eve = { name: 'Eve', email: 'eve@example.com' }
  const { organization, owner } = await identity.organizations.create('Elsewhere', eve)
  const ours = { organizationId: platform.caller.organizationId, userId: platform.caller.actor.id }
  const theirs = { organizationId: organization.id, userId: owner.id }
  return {
    platform,
    owners: { ours, theirs },
    ours: await makeObjects(identity, ours),
    theirs: await makeObjects(identity, theirs),
  }
}

/** A key that is nobody's here: whatever it names, the same answer. */
async function shutOut(world: World, route: AdminRoute, { kind, secret, gets }: MatrixKey): Promise<Cell[]> {
  const caller = world.platform.as(secret)
  const targets = { ours: world.ours, theirs: world.theirs, missing: absentObjects(world.ours) }
  const answers = new Set<string>()
  const cells: Cell[] = []
  for (const [target, objects] of Object.entries(targets)) {
    const answer = await send(caller, route, objects)
    answers.add(answer.text)
    cells.push({ name: `${nameOf(route)}, ${kind}, ${target}`, expected: gets, found: answer.status })
    if (parametersOf(route).length === 0) break
  }
  return [...cells, { name: `${nameOf(route)}, ${kind}: one answer for all`, expected: 1, found: answers.size }]
}

/** An admin key: its own objects, and nothing of others', not even whether it is there. */
async function letIn(world: World, route: AdminRoute, { kind, secret, of = 'ours' }: MatrixKey): Promise<Cell[]> {
  const caller = world.platform.as(secret)
  const foreign = of === 'ours' ? world.theirs : world.ours
  const changes = route.method !== 'GET'
  const own = changes ? await makeObjects(world.platform.platform.identity, world.owners[of]) : world[of]
  const cell = (target: string, expected: unknown, found: unknown): Cell => ({
    name: `${nameOf(route)}, ${kind}, ${target}`,
    expected,
    found,
  })
  const cells: Cell[] = []
  const parameters = parametersOf(route)
  if (parameters.length > 0) {
    const absent = absentObjects(own)
    const pairs: [string, Objects, Objects][] = [['foreign', foreign, absent]]
    const nested = parameters.length > 1 && !parameters.includes('rate_limit_id')
    const { project_id } = own
    if (nested) pairs.push(['foreign in an own project', { ...foreign, project_id }, { ...absent, project_id }])
    for (const [target, there, missing] of pairs) {
      const [existing, none] = [await send(caller, route, there), await send(caller, route, missing)]
      cells.push(cell(target, 404, existing.status), cell(`${target}, missing`, 404, none.status))
      cells.push(cell(`${target}: no telling`, withoutIds(none, missing), withoutIds(existing, there)))
    }
  }
  const answer = await send(caller, route, own)
  cells.push(cell('own', granted(route), answer.status))
  const { rate_limit_id: _, ...ids } = foreign
  cells.push(
    cell(
      'own: nothing foreign in it',
      [],
      Object.values(ids).filter((id) => answer.text.includes(id)),
    ),
  )
  return cells
}

/** No objects of an organization: the server's own. */
const isOfServer = ({ path }: AdminRoute): boolean => /^\/v1\/organization\/(runtimes|model_files|server)\b/.test(path)

describePlatformOnSqlite('the key matrix', (start) => {
  it('gives every key at every administration endpoint what it may have, and tells no key what there is (AST-010)', async () => {
    const platform = await start()
    const all = platform.platform.service.routes.filter(({ path }) => path.startsWith('/v1/organization/'))
    const routes = all.filter((route) => !isOfServer(route))
    expect(routes.length).toBeGreaterThan(25)
    expect(all.filter(({ auth }) => auth !== 'admin').map(nameOf)).toEqual([])
    const world = await makeWorld(platform)
    const keys = await makeKeys(platform, world.owners.ours, world.owners.theirs)
    const cells: Cell[] = []
    for (const route of routes) {
      for (const key of keys) cells.push(...(await (key.gets === 'admin' ? letIn : shutOut)(world, route, key)))
    }
    const wrong = cells.filter(({ expected, found }) => JSON.stringify(expected) !== JSON.stringify(found))
    console.info(
      `key matrix (${platform.target.kind}): ${routes.length} endpoints x ${keys.length} kinds of keys, ${cells.length} checks, ${wrong.length} wrong`,
    )
    expect(wrong).toEqual([])
  }, 120_000)

  it('shows and gives what is the server’s own to administrators of the first organization alone', async () => {
    const check = { what: 'Node', need: 'all', state: 'ok' as const, detail: 'v24' }
    const platform = await start({ server: { settings: () => [], checks: async () => [check] } })
    const routes = platform.platform.service.routes.filter(isOfServer)
    expect(routes.length).toBeGreaterThan(8)
    const { owners } = await makeWorld(platform)
    const keys = await makeKeys(platform, owners.ours, owners.theirs)
    for (const route of routes) {
      for (const { kind, secret, gets, of } of keys) {
        const path = route.path.replace(/:\w+/, 'absent')
        const { status } = await platform.as(secret).request(route.method, path)
        const expected = gets === 'admin' ? (of === 'theirs' ? 403 : route.path === path ? 200 : 404) : gets
        expect([nameOf(route), kind, status]).toEqual([nameOf(route), kind, expected])
      }
    }
  })

  it('lets an admin key into administration and nowhere else (AST-011)', async () => {
    const platform = await start()
    const admin = platform.as(platform.adminKey)
    const ordinary = platform.platform.service.routes.filter(({ auth }) => auth === 'project')
    expect(ordinary.length).toBeGreaterThan(50)
    for (const { method, path } of ordinary) {
      const response = await admin.request(method, path.replace(/:\w+/g, 'x'))
      expect([method, path, response.status]).toEqual([method, path, 403])
      expect((await errorOf(response)).code).toBe('insufficient_permissions')
    }
  })
})

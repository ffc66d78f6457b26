// Three nodes on one PostgreSQL that hold a large collection between them. "Large" is 100 chunks here.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterTest } from '@atoll/testkit/after-tests'
import { describePostgres, postgresTarget } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { beforeEach, expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { migrate } from '../db/migrate.ts'
import { type DatabaseTarget, openDatabase } from '../db/open.ts'
import { createIds } from '../ids/ids.ts'
import { kernelMigrations } from '../kernel-migrations.ts'
import { NodeGroup } from '../nodes/group.ts'
import { groupKey } from '../nodes/group-key.ts'
import { Membership } from '../nodes/nodes.ts'
import { chunksFrom, direction } from './testing/directions.ts'
import { type OpenStore, type Store, storeOpener } from './testing/stores.ts'

const settings = { indexFrom: 100 }
const large = 400
const ids = createIds(systemClock)

interface TestNode {
  store: Store
  group: NodeGroup
  /** As a machine that loses its power. */
  die(): Promise<void>
}

async function startNode(target: DatabaseTarget, open: OpenStore): Promise<TestNode> {
  const db = await openDatabase(target, { log: silentLog })
  await migrate(db, kernelMigrations)
  const group = new NodeGroup({ queries: db.queries, now: Date.now, key: await groupKey(db, ids) })
  const server = createServer(async (request, response) => {
    const answer = await group.receive(await buffer(request))
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  group.announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const store = await open(target, { settings, group })
  const node = new Membership({
    ...{ db, clock: systemClock, log: silentLog, id: ids.secret(8), version: '' },
    ...{ look: async () => undefined, address: () => group.address, told: () => group.refresh() },
  })
  node.join()
  const die = async () => {
    server.closeAllConnections()
    server.close()
    group.close()
    await store.close()
  }
  afterTest(async () => {
    await node.leave()
    await die()
    await db.close()
  })
  return { store, group, die }
}

describePostgres('a large collection of three nodes', () => {
  const open = storeOpener()
  let nodes: TestNode[]

  beforeEach(async () => {
    const target = await postgresTarget()
    nodes = []
    for (let count = 0; count < 3; count++) nodes.push(await startNode(target, open))
    for (const { group } of nodes) {
      while (group.ranked('anything').length < nodes.length) await group.refresh() // each tells of itself by and by
    }
  })

  const where = ({ store }: TestNode): Record<string, number> =>
    Object.fromEntries(store.vectors.figures().map(({ labels, value }) => [labels.where, value]))
  const best = async ({ store }: TestNode, seed: number): Promise<string> => {
    const [hit] = await store.near('vs', direction(seed), 3)
    return `${hit?.owner}/${hit?.ordinal}`
  }
  /** The node it belongs to first. */
  const inOrder = async ([first]: TestNode[]): Promise<TestNode[]> => {
    const row = await first!.store.db.queries.selectFrom('vector_collections').select('key').executeTakeFirstOrThrow()
    const addresses = first!.group.ranked(row.key).map(({ address }) => address)
    return addresses.map((address) => nodes.find(({ group }) => group.address === address)!)
  }
  const indexes = ({ store }: TestNode): Promise<unknown> => store.vectors.settle('vs')

  it('is found through each of them, and searched where its index is', async () => {
    await nodes[0]!.store.add('vs', 'a', chunksFrom(0, large))
    const [holder, second, third] = await inOrder(nodes)
    await indexes(holder!)
    await indexes(second!)
    for (const node of nodes) for (const seed of [3, 77, 399]) expect(await best(node, seed)).toBe(`a/${seed}`)
    expect(where(holder!)).toEqual({ here: 3, elsewhere: 0, unready: 0 })
    expect(where(second!)).toEqual({ here: 0, elsewhere: 3, unready: 0 })
    expect(where(third!)).toEqual({ here: 0, elsewhere: 3, unready: 0 })
  })

  it('is found whole right after a commit on any of them', async () => {
    for (const [at, node] of nodes.entries()) {
      await node.store.add('vs', `owner${at}`, chunksFrom(at * 1_000, 120))
      for (const other of nodes) expect(await best(other, at * 1_000 + 119)).toBe(`owner${at}/119`)
    }
    await nodes[1]!.store.removeOwner('vs', 'owner1')
    for (const node of nodes) expect(await best(node, 1_007)).not.toContain('owner1')
  })

  it('is answered for while the node it belongs to dies, by the one that holds it too', async () => {
    await nodes[0]!.store.add('vs', 'a', chunksFrom(0, large))
    const [holder, second, third] = await inOrder(nodes)
    await indexes(holder!)
    await indexes(second!)
    const asked = Array.from({ length: 40 }, async (_, seed) => {
      if (seed === 20) await holder!.die()
      return best(third!, seed)
    })
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 40 }, (_, seed) => `a/${seed}`))
    expect(await best(second!, 5)).toBe('a/5')
    expect(where(third!)).toEqual({ here: 0, elsewhere: 40, unready: 0 })
  })

  it('is searched elsewhere while the node it belongs to is of an older version, which does not tell how near they are', async () => {
    await nodes[0]!.store.add('vs', 'a', chunksFrom(0, large))
    const [holder, second, third] = await inOrder(nodes)
    await indexes(second!)
    holder!.group.answer('vectors.search', async () => ({ near: Float64Array.of(1), all: true, spread: {}, words: {} }))
    expect(await best(third!, 9)).toBe('a/9')
  })

  it('is searched at home where no other node can be asked', async () => {
    await nodes[0]!.store.add('vs', 'a', chunksFrom(0, large))
    const [first, second, third] = await inOrder(nodes)
    await first!.die()
    await second!.die()
    expect(await best(third!, 8)).toBe('a/8')
  })

  it('stays where it is asked for while it is small', async () => {
    await nodes[0]!.store.add('vs', 'a', chunksFrom(0, 99))
    for (const node of nodes) expect(await best(node, 98)).toBe('a/98')
    for (const node of nodes) expect(where(node)).toEqual({ here: 1, elsewhere: 0, unready: 0 })
  })
})

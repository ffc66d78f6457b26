// A large module that others have written: Debian's search module, through a whole upgrade.
import { accessSync } from 'node:fs'
import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packModule } from '../testing/native-modules.ts'
import { connectTo, startWholeCluster, type WholeCluster } from '../testing/whole-cluster.ts'

const file = '/usr/lib/redis/modules/redisearch.so'
const lacks = [lacking('redis-server'), lackingFile(file, 'redis-redisearch')].filter((name) => name !== '').join(', ')

function lackingFile(path: string, name: string): string {
  try {
    accessSync(path)
    return ''
  } catch {
    return name
  }
}

/** As the module itself says: 1.2.0 is 10200. Only one is to be had, so that the newer one is the same. */
const version = 10_200
const search = { name: 'ft', semanticVersion: '1.2.0', version, file } as const
const documents = 200
/** As many as the module gives: a fast machine adds thousands during an upgrade. */
const mostResults = 1_000_000
const topics = ['ocean', 'desert', 'forest']

type Client = Awaited<ReturnType<typeof connectTo>>

describe.skipIf(lacks !== '')(`Debian's search module${lacks && `, skipped: no ${lacks}`}`, () => {
  let whole: WholeCluster
  const uids: string[] = []

  beforeAll(async () => {
    whole = await startWholeCluster()
    for (const semantic_version of ['1.2.0', '1.2.1']) {
      const { status, body } = await whole.admin.upload(
        '/v2/modules',
        new Uint8Array(await packModule(search, { semantic_version })),
      )
      expect(status, JSON.stringify(body)).toBe(200)
      uids.push(body.uid)
    }
  }, 120_000)
  afterAll(() => whole.stop())

  const add = (client: Client, index: number) => {
    const text = `a text about the ${topics[index % topics.length]} with number n${index}`
    return client.sendCommand(['FT.ADD', 'texts', `doc-${index}`, '1.0', 'FIELDS', 'body', text])
  }
  const found = async (client: Client, words: string) => {
    const [count, ...names] = (await client.sendCommand([
      'FT.SEARCH',
      'texts',
      words,
      'NOCONTENT',
      'LIMIT',
      '0',
      String(mostResults),
    ])) as [number, ...string[]]
    return { count, names: names.map(String).sort() }
  }

  it.each([
    { replication: true, data_persistence: 'aof' },
    { replication: false, data_persistence: 'disabled' },
  ])(
    'MOD-001 MOD-009 answers the same after an upgrade, with new arguments, while documents are added (%o)',
    async (settings) => {
      const { admin } = whole
      const made = await admin.call('POST', '/v1/bdbs', {
        name: `search-${settings.data_persistence}`,
        memory_size: 300_000_000,
        // Otherwise it fills its index in the background, and a copy of the data may miss its last entry.
        module_list: [{ module_id: uids[0], module_args: 'SAFEMODE' }],
        ...settings,
      })
      expect(made.status, JSON.stringify(made.body)).toBe(200)
      const { uid, port } = made.body
      const client = await connectTo(port)
      await client.sendCommand(['FT.CREATE', 'texts', 'SCHEMA', 'body', 'TEXT'])
      for (let index = 0; index < documents; index++) await add(client, index)
      const before = await found(client, 'ocean')
      expect(before.count).toBe(Math.ceil(documents / topics.length))

      let [next, isOver] = [documents, false]
      const writing = (async () => {
        const writer = await connectTo(port)
        while (!isOver) await add(writer, next++)
        writer.destroy()
      })()
      const new_module_args = ['SAFEMODE', 'MAXEXPANSIONS', '500']
      const modules = [{ current_module: uids[0], new_module: uids[1], new_module_args }]
      const upgraded = await admin.call('POST', `/v1/modules/upgrade/bdb/${uid}`, { modules, preserve_roles: true })
      isOver = true
      await writing
      expect(upgraded.status, JSON.stringify(upgraded.body)).toBe(200)
      expect(upgraded.body).toMatchObject({ module_name: 'ft', semantic_version: '1.2.1' })

      const after = await found(client, 'ocean')
      expect(after.names).toEqual(expect.arrayContaining(before.names))
      expect(after.count).toBe(Math.ceil(next / topics.length))
      expect((await found(client, 'n7')).names).toEqual(['doc-7'])
      expect((await found(client, 'nothing')).count).toBe(0)
      expect(next).toBeGreaterThan(documents)
      for (const { process } of whole.cluster.databases.shardsOf(uid)) {
        await using shard = await process!.connect()
        expect(String(await shard.call('module', 'list'))).toMatch(/SAFEMODE,MAXEXPANSIONS,500/)
        const count = async () => ((await shard.call('ft.search', 'texts', 'ocean', 'limit', '0', '1')) as unknown[])[0]
        await expect.poll(count, { timeout: 20_000 }).toBe(after.count)
      }
      client.destroy()
    },
    120_000,
  )
})

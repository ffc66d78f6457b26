// A disk without room for a copy of the data, on a file system of its own.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { lacking } from '@atoll/testkit/lacking'
import { afterAll, expect, it } from 'vitest'
import { buildTally, packModule } from '../testing/native-modules.ts'
import { connectTo, startWholeCluster } from '../testing/whole-cluster.ts'

const missing = lacking('redis-server', 'cc')
const megabyte = 1024 * 1024
const folder = mkdtempSync('/tmp/ac-full-')
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder]).status === 0
afterAll(() => {
  if (mounted) spawnSync('umount', ['-l', folder])
  rmSync(folder, { recursive: true, force: true })
})

it.skipIf(missing !== '' || !mounted)(
  'MOD-012 an upgrade that finds no room answers 507 and takes nothing away, unless that was allowed; /readyz says whose data cannot be written',
  async () => {
    const { admin, stop } = await startWholeCluster({ data: folder })
    try {
      const [one, two] = await Promise.all(
        ([1, 2] as const).map(async (major) => {
          const bytes = new Uint8Array(await packModule(await buildTally(major)))
          return (await admin.upload('/v2/modules', bytes)).body.uid as string
        }),
      )
      const made = await admin.call('POST', '/v1/bdbs', { name: 'full', module_list: [{ module_id: one }] })
      const { uid, port } = made.body
      const client = await connectTo(port)
      for (let index = 0; index < 12; index++)
        await client.set(`key-${index}`, randomBytes(megabyte / 2).toString('hex'))
      const { bavail, bsize } = await statfs(folder)
      writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize - 4 * megabyte))
      const modules = [{ current_module: one, new_module: two }]
      const { status, body } = await admin.call('POST', `/v1/modules/upgrade/bdb/${uid}`, { modules })
      expect([status, body.error_code, body.rolled_back], body.message).toEqual([507, 'insufficient_storage', true])
      expect(await client.exists('key-11')).toBe(1)
      const ready = await admin.call('GET', '/readyz')
      expect([ready.status, ready.body.reason]).toEqual([503, expect.stringContaining(`database full (${uid})`)])
      const allowed = { modules, may_discard_data: true }
      const tried = await admin.call('POST', `/v1/modules/upgrade/bdb/${uid}`, { ...allowed, dry_run: true })
      expect(tried.body.plan).toMatchObject({ discards_data: true })
      const bad = { ...allowed, modules: [{ ...modules[0], new_module_args: ['NONSENSE'] }] }
      expect((await admin.call('POST', `/v1/modules/upgrade/bdb/${uid}`, bad)).status).toBeGreaterThanOrEqual(400)
      expect(await client.exists('key-11')).toBe(1)
      const emptied = await admin.call('POST', `/v1/modules/upgrade/bdb/${uid}`, allowed)
      expect([emptied.status, emptied.body.discarded_data], emptied.body.message).toEqual([200, true])
      await expect.poll(() => client.sendCommand(['TALLY.ADD', 'scores', 'ann', '2']).catch(String)).toBe(2)
      expect([await client.sendCommand(['TALLY.MUL', 'scores', 'ann', '2']), await client.dbSize()]).toEqual([4, 1])
      client.destroy()
    } finally {
      await stop({ keepsData: true })
    }
  },
  120_000,
)

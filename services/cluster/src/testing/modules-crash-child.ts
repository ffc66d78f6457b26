// Run by the crash test of modules and killed by it: takes modules in and deletes them, and tells each step.
import '@atoll/testkit/keep-compiled'
import { randomBytes, randomInt } from 'node:crypto'
import { writeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createKernel } from '@atoll/kernel/create-kernel'
import { silentLog } from '@atoll/testkit/silent-log'
import { openCore } from '../core.ts'
import { clusterMigrations } from '../migrations.ts'
import { modulePackage, sharedObject } from './module-packages.ts'

/** `kept` and `gone` are acknowledged; one that is `going` may be either. */
export type Step = { kept: string } | { going: string } | { gone: string }

const lanes = 3
const [, , folder, release = ''] = process.argv
if (!folder) throw new Error('usage: modules-crash-child.ts <folder> <release>')
const config = { data: folder, database: { poolSize: 1 }, blobs: {} }
const kernel = await createKernel({ config, log: silentLog, migrations: clusterMigrations })
const passwordCost = { N: 2, r: 8, p: 1 }
const { modules, audit } = await openCore({
  kernel,
  config: { name: 'crash', release, host: '127.0.0.1' },
  passwordCost,
})
await kernel.start()

// Straight to the pipe: what was told before the kill has been told.
const tell = (step: Step) => writeSync(1, `${JSON.stringify(step)}\n`)

async function work(): Promise<never> {
  for (;;) {
    const file = Buffer.concat([sharedObject(), randomBytes(randomInt(200_000))])
    const semantic_version = [randomInt(1e6), randomInt(1e6), randomInt(1e6)].join('.')
    const bytes = modulePackage({ file, json: { semantic_version } })
    const blob = await kernel.blobs.write(Readable.from([Buffer.from(bytes)]), { maxBytes: bytes.length })
    const { module } = await modules.upload(blob, 'test')
    tell({ kept: module.uid })
    await audit.record(undefined, { user: 'test', method: 'POST', path: '/v2/modules', status: 200 })
    if (randomInt(2) === 0) continue
    tell({ going: module.uid })
    await modules.remove(module.uid, 'test')
    tell({ gone: module.uid })
  }
}

await Promise.all(Array.from({ length: lanes }, work))

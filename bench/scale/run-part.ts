// Runs in namespaces of its own (isolated-part.ts): one part of the benchmark on a group of three nodes.
//   node run-part.ts '{"part":"nodes"}'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endFile, endTest } from '@atoll/testkit/after-tests'
import { startPatroni } from '../../cli/chaos/databases/patroni.ts'
import { startSingleDatabase } from '../../cli/chaos/databases/single.ts'
import { startGroup } from '../../cli/chaos/group.ts'
import { makeSwitch } from '../../cli/chaos/machines.ts'
import { measureFailover } from './failover.ts'
import { measureNodes } from './nodes.ts'
import type { IsolatedPart } from './options.ts'

async function run(settings: IsolatedPart): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-scale-'))
  await makeSwitch()
  const isSingle = settings.part !== 'failover' || settings.isSingle
  const database = await (isSingle ? startSingleDatabase() : startPatroni())
  const group = await startGroup({ folder, database })
  try {
    if (settings.part === 'nodes') await measureNodes(group)
    else await measureFailover(group)
  } finally {
    await group.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const code = await run(JSON.parse(process.argv[2] ?? '') as IsolatedPart).then(
  () => 0,
  (error: unknown) => {
    console.error(error)
    return 1
  },
)
await endTest()
await endFile()
process.exit(code)

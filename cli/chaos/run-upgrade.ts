// Runs in namespaces of its own (isolated.ts): upgrades a group under load node by node, and counts what failed.
//   node run-upgrade.ts
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endFile, endTest } from '@atoll/testkit/after-tests'
import { Caller } from './caller.ts'
import { startSingleDatabase } from './databases/single.ts'
import { apiKey, apiUrl, type Group, startGroup, untilAllServe } from './group.ts'
import { BatchLoad } from './loads/batches.ts'
import { CompletionLoad } from './loads/completions.ts'
import { FileLoad } from './loads/files.ts'
import { MessageLoad } from './loads/messages.ts'
import { RunLoad } from './loads/runs.ts'
import { makeSwitch } from './machines.ts'

const nextVersion = fileURLToPath(new URL('./next-version.ts', import.meta.url))
/** A balancer asks several times a second; on a busy machine its questions wait too. */
const drainSeconds = 5

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

async function upgrade(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-upgrade-'))
  await makeSwitch()
  const settings = { shutdown: { drainSeconds, graceSeconds: 30 }, blobs: { folder: join(folder, 'blobs') } }
  const group = await startGroup({ folder, database: await startSingleDatabase(), settings, checkSeconds: 10 })
  try {
    const caller = new Caller(apiUrl, apiKey)
    const loads = [new CompletionLoad(caller), new MessageLoad(caller), new RunLoad(caller), new FileLoad(caller)]
    const all = [...loads, new BatchLoad(caller)]
    for (const load of all) load.start()
    const problems = await upgradeEach(group)
    await Promise.all(all.map((load) => load.stop()))
    for (const load of all) problems.push(...(await load.verify()))
    const { answered, failed } = caller.counts
    tell(`upgraded ${group.nodes.length} nodes: ${answered} requests answered, ${failed} failed`)
    for (const load of all) tell(`  ${load.name.padEnd(10)} ${load.summary()}`)
    if (failed > 0) problems.push(`${failed} requests failed: ${caller.failures.join('; ')}`)
    return [...problems, ...caller.wrong, ...(await refusesToGoBack(group))]
  } finally {
    await group.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function upgradeEach({ nodes }: Group): Promise<string[]> {
  const problems: string[] = []
  for (const node of nodes) {
    const code = await node.stop()
    if (code !== 0) problems.push(`${node.name} ended with ${code}: ${node.output.slice(-500)}`)
    await node.start(nextVersion)
    await untilAllServe(nodes)
    tell(`${node.name} is the next version`)
  }
  return problems
}

/** A node of the version before does not start any more, and says why. */
async function refusesToGoBack({ nodes: [node] }: Group): Promise<string[]> {
  await node?.stop()
  const refusal = await node?.start(undefined, 1).then(
    () => 'it started',
    (error: Error) => error.message,
  )
  return /written by a newer Atoll.*9999-of-the-next-version/s.test(refusal ?? '') ? [] : [`went back: ${refusal}`]
}

const problems = await upgrade().catch((error: unknown) => [error instanceof Error ? (error.stack ?? '') : `${error}`])
for (const problem of problems) tell(`BROKEN ${problem}`)
await endTest()
await endFile()
process.exit(problems.length === 0 ? 0 : 1)

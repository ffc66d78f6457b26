// Runs in namespaces of its own (isolated.ts): starts a group, its loads and its faults, and tells what was kept.
//   node run-chaos.ts '{"seed":1,"minutes":2,"isSingle":false}'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endFile, endTest } from '@atoll/testkit/after-tests'
import { Availability } from './availability.ts'
import { Caller } from './caller.ts'
import { startPatroni } from './databases/patroni.ts'
import { startSingleDatabase } from './databases/single.ts'
import { adminKey, apiKey, apiUrl, type Group, startGroup } from './group.ts'
import { BatchLoad } from './loads/batches.ts'
import { CompletionLoad } from './loads/completions.ts'
import { FileLoad } from './loads/files.ts'
import { MessageLoad } from './loads/messages.ts'
import { RunLoad } from './loads/runs.ts'
import { makeSwitch } from './machines.ts'
import { backWithinMs, oneNodeOutageMs, playRounds, type Round } from './rounds.ts'
import { checkUsage } from './usage.ts'

export interface ChaosSettings {
  seed: number
  minutes: number
  /** Faults, however short the time is. */
  atLeast: number
  /** One PostgreSQL in place of two under Patroni. */
  isSingle: boolean
}

interface Promised {
  promise: string
  /** Empty: it was kept. */
  broken: readonly string[]
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

class Loads {
  readonly caller = new Caller(apiUrl, apiKey)
  readonly completions = new CompletionLoad(this.caller)
  readonly runs = new RunLoad(this.caller)
  readonly batches = new BatchLoad(this.caller)
  readonly all = [
    ...[this.completions, new MessageLoad(this.caller), this.runs, this.batches],
    ...[new FileLoad(this.caller), new FileLoad(this.caller)],
  ]
}

async function chaos({ seed, minutes, atLeast, isSingle }: ChaosSettings): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-chaos-'))
  await makeSwitch()
  const database = await (isSingle ? startSingleDatabase() : startPatroni())
  const group = await startGroup({ folder, database, hasOwnParts: true })
  try {
    process.stdin.resume().once('end', () => tell('  asked to end: what was done so far is checked'))
    tell(`chaos, seed ${seed}: ${group.nodes.length} nodes, ${database.what}, Swift's S3, HAProxy`)
    const loads = new Loads()
    const availability = new Availability()
    for (const load of loads.all) load.start()
    const rounds = await playRounds({
      ...{ group, availability, seed, forMs: minutes * 60_000, atLeast, tell },
      isOver: () => process.stdin.readableEnded,
    })
    await Promise.all([...loads.all.map((load) => load.stop()), availability.stop()])
    const promises = await verify(group, loads, rounds)
    const { answered, failed } = loads.caller.counts
    tell(`\n${rounds.length} faults; ${answered} requests answered, ${failed} failed (5xx, or no answer)`)
    for (const load of loads.all) tell(`  ${load.name.padEnd(10)} ${load.summary()}`)
    tell('')
    for (const { promise, broken } of promises) {
      tell(`  ${broken.length === 0 ? 'kept  ' : 'BROKEN'} ${promise}`)
      for (const line of broken) tell(`           ${line}`)
    }
    return promises.every(({ broken }) => broken.length === 0)
  } finally {
    await group.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function verify(group: Group, loads: Loads, rounds: readonly Round[]): Promise<Promised[]> {
  const promises: Promised[] = []
  for (const load of loads.all) promises.push({ promise: load.promise, broken: await load.verify() })
  const admin = new Caller(apiUrl, adminKey)
  const least = loads.completions.acknowledged + loads.runs.acknowledged + loads.batches.answeredLines
  const usage = await checkUsage(admin, least, () => group.model.answered)
  const counts = `${usage.counted}, between ${least} acknowledged and ${group.model.answered} given by the model`
  promises.push({ promise: `answers are counted in usage: ${counts}`, broken: usage.isRight ? [] : ['it is not'] })
  promises.push({ promise: 'no request is refused because of a fault (4xx)', broken: loads.caller.wrong })
  promises.push({ promise: 'no background duty was given up', broken: await deadJobs(group) })
  promises.push({ promise: 'no node ended by itself', broken: ended(group) })
  const late = rounds.filter(({ backMs }) => backMs === undefined).map(({ name, what }) => `${what}: ${name}`)
  const unready = rounds.flatMap(({ name, what, unready: who }) =>
    who === undefined ? [] : [`${what}: ${name}: ${who}`],
  )
  promises.push({ promise: 'every node serves again within a minute after each fault', broken: unready })
  promises.push({ promise: `writes again within ${backWithinMs / 1000} s after each fault`, broken: late })
  const long = rounds
    .filter(({ isOfOneNode, outageMs }) => isOfOneNode && outageMs > oneNodeOutageMs)
    .map(({ name, what, outageMs }) => `${what}: ${name}: ${Math.round(outageMs / 1000)} s`)
  promises.push({ promise: `no fault of one node holds up writes for ${oneNodeOutageMs / 1000} s`, broken: long })
  return promises
}

async function deadJobs({ nodes }: Group): Promise<string[]> {
  const metrics = await (await fetch(`${nodes[0]?.url}/metrics`)).text()
  const dead = /^atoll_jobs\{state="dead"\} (\d+)$/m.exec(metrics)?.[1]
  return dead === '0' ? [] : [`${dead ?? 'an unknown number'} of them`]
}

function ended({ nodes }: Group): string[] {
  return nodes.flatMap(({ name, processId, output }) => {
    try {
      process.kill(processId, 0)
      return []
    } catch {
      return [`${name}: ${output.slice(-500)}`]
    }
  })
}

const isKept = await chaos(JSON.parse(process.argv[2] ?? '') as ChaosSettings).catch((error: unknown) => {
  tell(`chaos could not go on: ${error instanceof Error ? error.stack : error}`)
  return false
})
await endTest()
await endFile()
process.exit(isKept ? 0 : 1)

// Three nodes against one on the same PostgreSQL: chat completions of a model that answers at once, for as many callers in
// all. A node of three then writes for fewer at once, and so more for each: that is part of what a group costs.
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { apiKey, type Group, type GroupNode } from '../../cli/chaos/group.ts'
import { cpuSeconds } from '../atoll-server.ts'
import { median, spreadPercent } from '../measure.ts'
import { postLoad } from '../post-load.ts'

const rounds = 3
const seconds = 8
/** Compiled code and connections are there by then. */
const warmSeconds = 10
/** Writes of usage and pieces of garbage of the load before are over by then. */
const settleSeconds = 3
const idleSeconds = 5
const callersInAll = 24
/** Three nodes, the database, the model and the callers each need one. */
const coresForRates = 8
const goals = { rate: 2.2, cpu: 1.15 }

interface Share {
  perSecond: number
  /** Of the nodes asked, without what they use when nobody asks. */
  cpuMsPerRequest: number
}

export async function measureNodes({ nodes }: Group): Promise<void> {
  const [first] = nodes
  if (first === undefined) throw new Error('There is no node.')
  for (const node of nodes) await load([node], warmSeconds)
  const idle = await idleShare(nodes)
  const one: Share[] = []
  const three: Share[] = []
  for (let round = 0; round < rounds; round++) {
    one.push(await load([first], seconds, idle))
    three.push(await load(nodes, seconds, idle))
  }
  console.log(`    a node that nobody asks uses ${(idle * 1000).toFixed(1)} ms of processor time a second`)
  console.log(`    1 node:  ${shown(one)}`)
  console.log(`    3 nodes: ${shown(three)}`)
  const ratio = (of: (share: Share) => number) => median(three.map(of)) / median(one.map(of))
  const rate = ratio(({ perSecond }) => perSecond)
  const cpu = ratio(({ cpuMsPerRequest }) => cpuMsPerRequest)
  const cores = availableParallelism()
  const rateGoal = cores >= coresForRates ? `goal at least ${goals.rate}${rate >= goals.rate ? '' : ', missed'}` : ''
  const few = `${cores} cores for ${nodes.length} nodes, the database, the model and the callers: not judged`
  console.log(`    requests/s: ${rate.toFixed(2)} times (${rateGoal || few})`)
  console.log(
    `    processor time a request: ${cpu.toFixed(2)} times (goal at most ${goals.cpu}${cpu <= goals.cpu ? '' : ', missed'})`,
  )
}

const usedBy = (nodes: readonly GroupNode[]): number =>
  nodes.reduce((sum, { processId }) => sum + cpuSeconds({ pid: processId }), 0)

/** Seconds of processor time that a node uses in one second while nobody asks. */
async function idleShare(nodes: readonly GroupNode[]): Promise<number> {
  await pause(settleSeconds * 1_000)
  const before = usedBy(nodes)
  await pause(idleSeconds * 1_000)
  return (usedBy(nodes) - before) / idleSeconds / nodes.length
}

async function load(nodes: readonly GroupNode[], forSeconds: number, idle = 0): Promise<Share> {
  const before = usedBy(nodes)
  const began = performance.now()
  const loads = await Promise.all(nodes.map((node) => chat(node, callersInAll / nodes.length, forSeconds)))
  const idleSum = (idle * nodes.length * (performance.now() - began)) / 1_000
  const perSecond = loads.reduce((sum, one) => sum + one.perSecond, 0)
  return { perSecond, cpuMsPerRequest: ((usedBy(nodes) - before - idleSum) * 1_000) / (perSecond * forSeconds) }
}

function chat({ url }: GroupNode, callers: number, forSeconds: number) {
  const body = JSON.stringify({ model: 'stub', messages: [{ role: 'user', content: 'Good morning.' }] })
  const headers = { authorization: `Bearer ${apiKey}` }
  return postLoad({ url: `${url}/v1/chat/completions`, headers, body }, callers, forSeconds)
}

function shown(shares: readonly Share[]): string {
  const rates = shares.map(({ perSecond }) => perSecond)
  const costs = shares.map(({ cpuMsPerRequest }) => cpuMsPerRequest)
  return `${median(rates).toFixed(0)} requests/s ±${spreadPercent(rates)} %, ${median(costs).toFixed(2)} ms of processor time a request ±${spreadPercent(costs)} %`
}

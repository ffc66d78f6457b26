// Chunks over three nodes on one PostgreSQL: recall, time, and answers while one of the nodes dies.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createKernel } from '@atoll/kernel/create-kernel'
import { endFile, endTest } from '@atoll/testkit/after-tests'
import { ownPostgres } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { cpuSeconds } from '../atoll-server.ts'
import { median } from '../measure.ts'
import { ChunkMaker, dimensions, embed, realSentences } from '../vector-data.ts'
import type { NodeAnswer, NodeQuestion } from './vector-questions.ts'

const program = fileURLToPath(new URL('./vector-node-process.ts', import.meta.url))
const collections = 3
const chunksPerOwner = 500
const questionCount = 60
const goals = { recall: 0.98, medianMs: 15, movedMs: 60_000 }
/** Times the p50 before a node died. */
const asBefore = 1.5
/** Of one core: a node that uses less in a second builds no index. */
const quietShare = 0.2
const mostBuildingMs = 1_800_000

interface Question extends Omit<NodeQuestion, 'id'> {
  exact: string[]
}

class VectorNode {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (answer: NodeAnswer) => void>()
  #asked = 0

  private constructor(url: string, folder: string) {
    this.#child = fork(program, [JSON.stringify({ url, folder })])
    this.#child.on('message', (answer: NodeAnswer | 'ready') => {
      if (answer !== 'ready') this.#waiting.get(answer.id)?.(answer)
    })
  }

  static async start(url: string, folder: string): Promise<VectorNode> {
    const node = new VectorNode(url, folder)
    await once(node.#child, 'message')
    return node
  }

  ask({ exact: _, ...question }: Question): Promise<NodeAnswer> {
    const id = ++this.#asked
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#child.send({ id, ...question } satisfies NodeQuestion)
    })
  }

  get cpuSeconds(): number {
    return cpuSeconds(this.#child)
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }
}

export async function measureVectorNodes(chunks: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-vector-nodes-'))
  const database = await ownPostgres()
  const nodes: VectorNode[] = []
  try {
    const questions = await fill(database.url, join(folder, 'filler'), chunks)
    for (let at = 0; at < 3; at++) nodes.push(await VectorNode.start(database.url, join(folder, `node${at}`)))
    console.log(
      `    ${chunks} chunks of ${dimensions} dimensions in ${collections} collections on ${nodes.length} nodes`,
    )
    const beforeMs = await measureWhole(nodes, questions)
    await measureDeath(nodes, questions, beforeMs)
  } finally {
    for (const node of nodes) await node.kill().catch(() => undefined)
    await endTest()
    await endFile()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Adds all chunks; the questions have what comparing every vector of their collection finds. */
async function fill(url: string, folder: string, chunks: number): Promise<Question[]> {
  const kernel = await createKernel({
    config: { data: folder, blobs: {}, database: { url } },
    log: silentLog,
    migrations: [],
  })
  const sentences = realSentences(800)
  const maker = new ChunkMaker(await embed(sentences), sentences, 1)
  const questions: (Question & { near: { id: string; cosine: number }[] })[] = Array.from(
    { length: questionCount },
    (_, at) => ({ collection: `c${at % collections}`, vector: [...maker.vector()], text: '', exact: [], near: [] }),
  )
  for (let from = 0; from < chunks; from += chunksPerOwner) {
    const collection = `c${(from / chunksPerOwner) % collections}`
    const owner = `owner${from / chunksPerOwner}`
    const list = Array.from({ length: chunksPerOwner }, (_, at) => ({
      ordinal: at,
      ...maker.chunk(`code${from + at}`),
    }))
    for (const question of questions) {
      if (question.collection !== collection) continue
      for (const { ordinal, vector } of list) {
        question.near.push({ id: `${owner}/${ordinal}`, cosine: cosine(vector, question.vector) })
      }
      question.near = question.near.sort((a, b) => b.cosine - a.cosine).slice(0, 10)
    }
    await kernel.db.transaction((tx) => kernel.vectors.add(tx, collection, owner, list))
  }
  await kernel.close()
  return questions.map(({ near, ...question }) => ({ ...question, exact: near.map(({ id }) => id) }))
}

function cosine(one: Float32Array, other: readonly number[]): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number)
  return sum
}

/** A question to each node in turn. */
async function askAll(nodes: readonly VectorNode[], questions: readonly Question[]) {
  const times: number[] = []
  let right = 0
  for (const [at, question] of questions.entries()) {
    const answer = await (nodes[at % nodes.length] as VectorNode).ask(question)
    if ('problem' in answer) throw new Error(answer.problem)
    times.push(answer.ms)
    right += question.exact.filter((id) => answer.found.includes(id)).length
  }
  return { times, recall: right / questions.length / 10 }
}

/** Returns the time of half of the answers. */
async function measureWhole(nodes: readonly VectorNode[], questions: readonly Question[]): Promise<number> {
  const began = performance.now()
  await askAll(nodes, questions.slice(0, collections))
  console.log(`    every collection answers ${seconds(performance.now() - began)} after the nodes have started empty`)
  const building = await askAll(nodes, questions)
  console.log(`    p50 ${median(building.times).toFixed(1)} ms right then, while the indexes are built`)
  await untilBuilt(nodes)
  console.log(`    the indexes are built ${seconds(performance.now() - began)} after`)
  await askAll(nodes, questions)
  const before = cpuOf(nodes)
  const { times, recall } = await askAll(nodes, questions)
  const cpuMs = ((cpuOf(nodes) - before) * 1_000) / questions.length
  const verdict = (isReached: boolean) => (isReached ? '' : ', missed')
  const p50 = median(times)
  console.log(`    p50 ${p50.toFixed(1)} ms (goal under ${goals.medianMs}${verdict(p50 < goals.medianMs)})`)
  console.log(`    ${cpuMs.toFixed(1)} ms of processor time a question, of all nodes together`)
  console.log(`    recall@10 ${recall.toFixed(4)} (goal at least ${goals.recall}${verdict(recall >= goals.recall)})`)
  return p50
}

const cpuOf = (nodes: readonly VectorNode[]): number => nodes.reduce((sum, node) => sum + node.cpuSeconds, 0)

/** An index is built in the background, with all of a core: meanwhile questions wait for their turns. */
async function untilBuilt(nodes: readonly VectorNode[]): Promise<void> {
  const giveUpAt = performance.now() + mostBuildingMs
  for (let used = cpuOf(nodes); ; ) {
    await pause(1_000)
    const now = cpuOf(nodes)
    if (now - used < quietShare) return
    if (performance.now() > giveUpAt) throw new Error('The nodes do not come to rest: an index is built for ever.')
    used = now
  }
}

/** One dies while the others are asked; until answers come as quickly as before again. */
async function measureDeath(nodes: VectorNode[], questions: readonly Question[], beforeMs: number): Promise<void> {
  await nodes.pop()?.kill()
  const began = performance.now()
  const { times } = await askAll(nodes, questions.slice(0, collections * 4))
  let movedMs = performance.now() - began
  for (;;) {
    const round = await askAll(nodes, questions.slice(0, collections * 4))
    movedMs = performance.now() - began
    if (median(round.times) < beforeMs * asBefore || movedMs > goals.movedMs) break
    await pause(200)
  }
  const verdict = movedMs <= goals.movedMs ? '' : ', missed'
  console.log(`    a node dies: every question answered, the slowest in ${seconds(Math.max(...times))}`)
  console.log(
    `    half of them within ${asBefore} times the p50 before, after ${seconds(movedMs)} (goal under ${seconds(goals.movedMs)}${verdict})`,
  )
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

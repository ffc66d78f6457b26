// Which examples are learnt in which step, in rows that threads work on.
import { shuffled } from '../model/random.ts'
import type { Row } from '../step/row.ts'
import type { Example } from './example.ts'

/** Epochs differ in their order; the same seed gives the same. */
export function epochBatches(count: number, batchSize: number, seed: number, epoch: number): number[][] {
  const order = shuffled(count, seed + 0x9e3779b9 * (epoch + 1))
  const batches: number[][] = []
  for (let first = 0; first < count; first += batchSize) batches.push(order.slice(first, first + batchSize))
  return batches
}

/** Long examples first, each into the first row that has room. */
function packRows(examples: readonly Example[], rowLength: number): Row[] {
  const rows: { length: number; examples: Example[] }[] = []
  const byLength = [...examples].sort((one, other) => other.tokens.length - one.tokens.length)
  for (const example of byLength) {
    const { length } = example.tokens
    let row = rows.find((candidate) => candidate.length + length <= rowLength)
    if (row === undefined) {
      row = { length: 0, examples: [] }
      rows.push(row)
    }
    row.length += length
    row.examples.push(example)
  }
  return rows.map(({ examples: packed }) => rowOf(packed))
}

function rowOf(examples: readonly Example[]): Row {
  let start = 0
  const segments = examples.map(({ tokens }) => {
    const segment = { start, end: start + tokens.length }
    start = segment.end
    return segment
  })
  return {
    tokens: Int32Array.from(examples.flatMap(({ tokens }) => tokens)),
    weights: Float32Array.from(examples.flatMap(({ weights }) => weights)),
    segments,
  }
}

/** Tokens that will be foreseen, by how much they count. The first of an example never is. */
export const weightOf = (examples: readonly Example[]): number =>
  examples.reduce((sum, { weights }) => sum + weights.slice(1).reduce((part, weight) => part + weight, 0), 0)

/** What a thread does in a step. */
export interface Share {
  rows: Row[]
  reminders: Row[]
}

export const hasWork = (share: Share | undefined): share is Share =>
  share !== undefined && share.rows.length + share.reminders.length > 0

/** What a token of a reminder takes, beside one that is learnt: it is read without the adapter too. */
const reminderCost = 1.3

/** Rows for each thread, so that all have about as much to do; always the same for the same examples. */
export function shareOut(
  examples: readonly Example[],
  reminders: readonly Example[],
  { threads, rowLength }: { threads: number; rowLength: number },
): Share[] {
  const shares = Array.from({ length: threads }, () => ({
    cost: 0,
    examples: [] as Example[],
    reminders: [] as Example[],
  }))
  const tasks = [
    ...examples.map((example) => ({ kind: 'examples' as const, example, cost: example.tokens.length })),
    ...reminders.map((example) => ({
      kind: 'reminders' as const,
      example,
      cost: reminderCost * example.tokens.length,
    })),
  ]
  for (const { kind, example, cost } of tasks.sort((one, other) => other.cost - one.cost)) {
    const least = shares.reduce((best, share) => (share.cost < best.cost ? share : best))
    least.cost += cost
    least[kind].push(example)
  }
  return shares.map((share) => ({
    rows: packRows(share.examples, rowLength),
    reminders: packRows(share.reminders, rowLength),
  }))
}

/** One for so many examples. */
const examplesOfAReminder = 4

/** How the examples are dealt out. */
interface Dealt {
  examples: number
  batchSize: number
  seed: number
}

/** Those of a step, which are counted from 1: all of them come around before one comes again. */
export function stepReminders<Item>(all: readonly Item[], step: number, { examples, batchSize, seed }: Dealt): Item[] {
  const stepsPerEpoch = Math.ceil(examples / batchSize)
  // The last step of an epoch may have fewer examples than the others.
  const learnt = (steps: number): number =>
    Math.floor(steps / stepsPerEpoch) * examples + (steps % stepsPerEpoch) * batchSize
  const before = (steps: number): number => Math.floor(learnt(steps) / examplesOfAReminder)
  return Array.from({ length: all.length === 0 ? 0 : before(step) - before(step - 1) }, (_, index) => {
    const nth = before(step - 1) + index
    const order = shuffled(all.length, seed + 0x85ebca6b * (Math.floor(nth / all.length) + 1))
    return all[order[nth % all.length]!]!
  })
}

// The built-in chat model on tasks of kinds it never saw in training, asked through the public API.
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { childMegabytes } from './children.ts'
import { median } from './measure.ts'
import { ask } from './model/ask.ts'
import { everydayPrompts } from './model/cases.ts'
import { evenly } from './model/evenly.ts'
import { hooked } from './model/hooked.ts'
import { loops } from './model/judge.ts'
import { publicSets } from './model/public.ts'
import { type EvaluationSet, extraction, reading, toolCalls } from './model/sets.ts'

const rounds = 3
const atOnce = 4
/** `BENCH_ONLY=passage`: sets with this word in their names, and nothing else. */
const only = process.env.BENCH_ONLY

export async function bench(): Promise<void> {
  const file = process.env.BENCH_MODEL
  const server = await spawnServer(file ? ['--model', file] : [])
  try {
    if (only === undefined) await showSpeed(server)
    console.log('\n  kinds never seen in training, most likely answers')
    for (const set of chosen([...toolCalls(server), ...reading(server), extraction(server)])) await showSet(set)
    console.log('\n  simple requests')
    for (const set of chosen(hooked(server))) await showSet(set)
    await showPublic(server)
    if (only === undefined) await showEveryday(server)
  } finally {
    await server.close()
  }
}

const chosen = (sets: EvaluationSet[]): EvaluationSet[] => sets.filter(({ name }) => name.includes(only ?? ''))

async function showPublic(server: AtollServer): Promise<void> {
  const folder = process.env.BENCH_PUBLIC
  if (!folder) {
    console.log('  public sets are left out: name the folder that training/chat/measured.py made with BENCH_PUBLIC')
    return
  }
  console.log('\n  public sets, never trained on')
  for (const set of chosen(publicSets(server, folder))) await showSet(set)
}

async function showSpeed(server: AtollServer): Promise<void> {
  const startedAt = performance.now()
  await ask(server, { messages: [{ role: 'user', content: 'Hello' }], maxTokens: 1 })
  console.log(`  first answer, with loading: ${((performance.now() - startedAt) / 1000).toFixed(2)} s (goal 1.5 s)`)
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const messages = [{ role: 'user' as const, content: 'Write a long story about a fox and a lantern.' }]
    const begun = performance.now()
    const { completionTokens } = await ask(server, { messages, maxTokens: 300, temperature: 1, seed: round })
    rates.push(completionTokens / ((performance.now() - begun) / 1000))
  }
  console.log(`  one answer at a time: ${median(rates).toFixed(0)} tokens/s (goal 60)`)
  console.log(`  memory of the model's process: ${childMegabytes(server, 'llama-process')} MB (goal under 400)`)
}

async function showSet({ name, least, aim, isFault, cases: all }: EvaluationSet): Promise<void> {
  const cases = evenly(all, Number(process.env.BENCH_CASES ?? all.length))
  let right = 0
  const notes: string[] = []
  const open = [...cases]
  const worker = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const outcome = await next()
      if (outcome.right) right++
      if (outcome.right === (isFault ?? false)) notes.push(outcome.note)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const share = right / cases.length
  const goal = isFault ? `at most ${least}, aim ${aim}` : `at least ${least}, aim ${aim}`
  const isReached = isFault ? share <= least : share >= least
  console.log(`  ${share.toFixed(3)} ${isReached ? ' ' : '!'} ${name} (${right} of ${cases.length}; ${goal})`)
  if (process.env.BENCH_FAILURES) for (const note of notes) console.log(`    ${note}`)
}

async function showEveryday(server: AtollServer): Promise<void> {
  console.log('\n  everyday prompts, to be read by a person')
  let looping = 0
  for (const [index, content] of everydayPrompts().entries()) {
    const { text, finish } = await ask(server, { messages: [{ role: 'user', content }], maxTokens: 250 })
    if (loops(text) || finish === 'length') looping++
    console.log(`  ${index + 1}. ${content}\n     ${text.replaceAll('\n', '\n     ')}`)
  }
  console.log(`  ${looping} of them repeat themselves or do not end`)
}

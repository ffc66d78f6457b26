// Fine-tuning of the built-in model: speed, what it learns, who is held up by it, and what adapters cost.
import { setTimeout } from 'node:timers/promises'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { childMegabytes } from './children.ts'
import {
  type Case,
  callExample,
  heldOutCalls,
  heldOutTone,
  learntCalls,
  story,
  styleExamples,
  tone,
  toneExamples,
  toolsFor,
} from './tuning/examples.ts'
import { generalScore } from './tuning/general.ts'
import { addExamples, ask, beginJob, cancelJob, endOfJob, findJob, steps } from './tuning/server-calls.ts'
import { showServing } from './tuning/serving.ts'
import { share } from './tuning/share.ts'
import { showSpeed } from './tuning/speed.ts'

const heldOut = 200
const learnt = 120
const chats = 60
const adapters = 10
/** `BENCH_ONLY=learning`: what it learns and forgets, and nothing else. */
const onlyLearning = process.env.BENCH_ONLY === 'learning'
const goals = { before: 0.2, after: 0.9, tone: 0.95, fall: 3, p95: 1.5, jobSeconds: 240 }

export async function bench(): Promise<void> {
  console.log('\nThe trainer alone')
  if (!onlyLearning) await showSpeed()
  const server = await spawnServer()
  try {
    const model = await showLearning(server)
    await showStyle(server)
    if (onlyLearning) return
    await showJob(server)
    await showServing(server, model)
    await showFairness(server)
    await showAdapters(server)
  } finally {
    await server.close()
  }
}

async function showLearning(server: AtollServer): Promise<string> {
  console.log(`\n${heldOut} held-out requests for 5 made-up tools, and a tone`)
  const cases = heldOutCalls(heldOut)
  console.log(`  before: exact calls ${await exactCalls(server, 'atoll-chat', cases)} (under ${goals.before}), `)
  console.log(`          tone ${await inTone(server, 'atoll-chat')}`)
  const before = await generalOfBase(server)
  console.log(`          general score ${before.toFixed(1)}`)
  const examples = [...learntCalls(learnt).map((one) => callExample(one)), ...toneExamples()]
  const begun = await beginJob(server, { training_file: await addExamples(server, examples), suffix: 'bench' })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, childMegabytes(server, 'tuning-process'))
  }, 1_000)
  const job = await endOfJob(server, begun.id)
  clearInterval(watch)
  const seconds = (job.finished_at ?? 0) - job.created_at
  const rate = ((job.trained_tokens ?? 0) / seconds).toFixed(0)
  console.log(
    `  trained: ${examples.length} examples × ${job.hyperparameters.n_epochs} epochs, ${job.trained_tokens} tokens in ${seconds} s: ${rate} tokens/s with reading and loading; ${peak} MB`,
  )
  const model = job.fine_tuned_model
  console.log(`  after:  exact calls ${await exactCalls(server, model, cases)} (at least ${goals.after})`)
  console.log(`          tone ${await inTone(server, model)} (at least ${goals.tone})`)
  await showFall(server, model, before)
  return model
}

/** A job that teaches nothing but a style, as most do. */
async function showStyle(server: AtollServer): Promise<void> {
  const examples = styleExamples()
  const fields = {
    training_file: await addExamples(server, examples),
    suffix: 'style',
    hyperparameters: { n_epochs: 6 },
  }
  const { id } = await beginJob(server, fields)
  const job = await endOfJob(server, id)
  const model = job.fine_tuned_model
  console.log(
    `\nThe tone alone: ${examples.length} examples × ${job.hyperparameters.n_epochs} epochs, ${job.trained_tokens} tokens`,
  )
  console.log(`  after:  tone ${await inTone(server, model)} (at least ${goals.tone})`)
  await showFall(server, model, await generalOfBase(server))
}

let ofBase: number | undefined
const generalOfBase = async (server: AtollServer): Promise<number> => {
  ofBase ??= await generalScore({ ...server, model: 'atoll-chat' })
  return ofBase
}

async function showFall(server: AtollServer, model: string, before: number): Promise<void> {
  const general = await generalScore({ ...server, model })
  console.log(
    `          general score ${general.toFixed(1)}: ${(before - general).toFixed(1)} points less (goal at most ${goals.fall})`,
  )
}

/** A job as many are: 60 examples of about 110 tokens, read three times. */
async function showJob(server: AtollServer): Promise<void> {
  const training_file = await addExamples(
    server,
    learntCalls(60).map((one) => callExample(one, 3)),
  )
  const { id } = await beginJob(server, { training_file, hyperparameters: { n_epochs: 3 } })
  const job = await endOfJob(server, id)
  const seconds = (job.finished_at ?? 0) - job.created_at
  console.log(
    `\n60 examples × 3 epochs: ${job.trained_tokens} tokens in ${seconds} s (goal at most ${goals.jobSeconds} s for 20,000)`,
  )
}

async function exactCalls(server: AtollServer, model: string, cases: readonly Case[]): Promise<string> {
  const isExact = async ({ question, tool, arguments: wanted }: Case): Promise<boolean> => {
    const messages = [{ role: 'user', content: question }]
    const { message } = await ask(server, { model, messages, tools: toolsFor(tool) })
    const called = message.tool_calls?.[0]?.function
    return called?.name === tool && sameArguments(called.arguments, wanted)
  }
  return (await share(cases, isExact)).toFixed(3)
}

async function inTone(server: AtollServer, model: string): Promise<string> {
  const questions = heldOutTone()
  const right = await share(questions, async (content) => {
    const { message } = await ask(server, { model, messages: [{ role: 'user', content }] })
    const text = message.content?.trim() ?? ''
    return text.startsWith(tone.begins) && text.endsWith(tone.ends)
  })
  return right.toFixed(3)
}

function sameArguments(text: string, wanted: Case['arguments']): boolean {
  const given = JSON.parse(text) as Record<string, unknown>
  const names = new Set([...Object.keys(given), ...Object.keys(wanted)])
  return [...names].every((name) => given[name] === wanted[name])
}

async function showFairness(server: AtollServer): Promise<void> {
  console.log(`\n${chats} chats one after the other, with an idle machine and beside a training`)
  const p95 = async (): Promise<number> => {
    const times: number[] = []
    for (let chat = 0; chat < chats; chat++) {
      const startedAt = performance.now()
      await ask(server, { model: 'atoll-chat', messages: story, max_tokens: 30, temperature: 1, seed: chat })
      times.push(performance.now() - startedAt)
      await setTimeout(100)
    }
    return times.sort((one, other) => one - other)[Math.floor(chats * 0.95)] ?? 0
  }
  const idle = await p95()
  const examples = learntCalls(learnt).map((one) => callExample(one))
  const training_file = await addExamples(server, examples)
  const { id } = await beginJob(server, { training_file, hyperparameters: { n_epochs: 20 } })
  while ((await steps(server, id)) === 0) await setTimeout(200)
  const beside = await p95()
  if ((await findJob(server, id)).status !== 'running') throw new Error('The training ended too soon')
  await cancelJob(server, id)
  console.log(
    `  p95 ${idle.toFixed(0)} ms and ${beside.toFixed(0)} ms: ${(beside / idle).toFixed(2)} (goal at most ${goals.p95})`,
  )
}

async function showAdapters(server: AtollServer): Promise<void> {
  const training_file = await addExamples(server, toneExamples().slice(0, 10))
  const models: string[] = []
  while (models.length < adapters) {
    const { id } = await beginJob(server, { training_file, hyperparameters: { n_epochs: 1, batch_size: 10 } })
    models.push((await endOfJob(server, id)).fine_tuned_model)
  }
  const hello = [{ role: 'user', content: 'Hello' }]
  await ask(server, { model: 'atoll-chat', messages: hello })
  const one = childMegabytes(server, 'llama-process')
  for (const model of models) await ask(server, { model, messages: hello })
  const all = childMegabytes(server, 'llama-process')
  console.log(`\nThe model's process alone ${one} MB, with ${adapters} adapters more ${all} MB`)
}

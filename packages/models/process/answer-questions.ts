// The model's side of `Questions`: runs in the model's process or thread, one question after the other, or all at once where the
// work takes turns by itself.
import { parentPort } from 'node:worker_threads'
import { ModelProblem } from '../problem.ts'
import { answerPings, isPing, type Ping } from './heartbeat.ts'
import type { Answered, Asked } from './questions.ts'

type Answer<Question, Answer> = (question: Question, signal: AbortSignal) => Promise<Answer>
type Send = (message: Answered<unknown>) => void

export function answerQuestions<Question, Answered>(
  answer: Answer<Question, Answered>,
  { allAtOnce = false } = {},
): void {
  answerPings()
  const hear = hearing(answer, sendToParent, allAtOnce)
  process.on('message', (message: Asked<Question> | Ping) => {
    if (!isPing(message)) hear(message)
  })
  // Its user went away: so does it.
  process.on('disconnect', () => process.exit(0))
}

/** All at once. */
export function answerInThread<Question, Answered>(answer: Answer<Question, Answered>): void {
  if (parentPort === null) throw new Error('this is for threads')
  const port = parentPort
  port.on(
    'message',
    hearing(answer, (message) => port.postMessage(message), true),
  )
}

function hearing<Question, Answered>(answer: Answer<Question, Answered>, send: Send, allAtOnce: boolean) {
  const cancels = new Map<number, AbortController>()
  let line = Promise.resolve()
  return (message: Asked<Question>): void => {
    if ('cancel' in message) {
      cancels.get(message.id)?.abort()
      return
    }
    const controller = new AbortController()
    cancels.set(message.id, controller)
    const work = async (): Promise<void> => {
      const { signal } = controller
      if (!signal.aborted) await reply(message.id, () => answer(message.question, signal), send)
      cancels.delete(message.id)
    }
    if (allAtOnce) void work()
    else line = line.then(work)
  }
}

async function reply<Answer>(id: number, work: () => Promise<Answer>, send: Send): Promise<void> {
  try {
    send({ id, answer: await work() })
  } catch (error) {
    const { message } = error as Error
    const detail = error instanceof ModelProblem ? error.detail : { kind: 'failed' as const }
    send({ id, problem: { message, detail } })
  }
}

const sendToParent: Send = (message) => void process.send?.(message, undefined, undefined, () => {})

// The model's side of `Questions`: runs in the model's process, one question after the other, or all at once where the
// work takes turns by itself.
import { ModelProblem } from '../problem.ts'
import { answerPings, isPing, type Ping } from './heartbeat.ts'
import type { Answered, Asked } from './questions.ts'

export function answerQuestions<Question, Answer>(
  answer: (question: Question, signal: AbortSignal) => Promise<Answer>,
  { allAtOnce = false } = {},
): void {
  const cancels = new Map<number, AbortController>()
  let line = Promise.resolve()
  answerPings()
  process.on('message', (message: Asked<Question> | Ping) => {
    if (isPing(message)) return
    if ('cancel' in message) {
      cancels.get(message.id)?.abort()
      return
    }
    const controller = new AbortController()
    cancels.set(message.id, controller)
    const work = async (): Promise<void> => {
      if (!controller.signal.aborted) await reply(message.id, () => answer(message.question, controller.signal))
      cancels.delete(message.id)
    }
    if (allAtOnce) void work()
    else line = line.then(work)
  })
  // Its user went away: so does it.
  process.on('disconnect', () => process.exit(0))
}

async function reply<Answer>(id: number, work: () => Promise<Answer>): Promise<void> {
  try {
    send({ id, answer: await work() })
  } catch (error) {
    const { message } = error as Error
    const detail = error instanceof ModelProblem ? error.detail : { kind: 'failed' as const }
    send({ id, problem: { message, detail } })
  }
}

const send = (message: Answered<unknown>): void => void process.send?.(message, undefined, undefined, () => {})

// The thread that works on long texts: in slices, so that others have their turns in between.
import { workerData } from 'node:worker_threads'
import { answerInThread } from '../../process/answer-questions.ts'
import { WorkTurns } from '../../process/work-turns.ts'
import type { EmbedAnswered, EmbedQuestion } from './protocol.ts'
import type { EncoderTables } from './tables.ts'
import { type ReadText, TextReader } from './text-reader.ts'

/** How long a turn is; one slice of a text at least. */
const turnMs = 1

const turns = new WorkTurns()
const reader = new TextReader(workerData as EncoderTables)

async function readAll(texts: readonly string[], signal: AbortSignal): Promise<ReadText[]> {
  const work = turns.next()
  const read: ReadText[] = []
  let left = texts.reduce((sum, { length }) => sum + length, 0)
  const waiting = texts.values()
  let open: ReturnType<TextReader['steps']> | undefined
  /** One slice; false when there is none left. */
  const step = (): boolean => {
    if (open === undefined) {
      const { value: text, done } = waiting.next()
      if (done === true) return false
      left -= text.length
      open = reader.steps(text)
    }
    const { done, value } = open.next()
    if (done !== true) return true
    read.push(value)
    open = undefined
    return true
  }
  for (let isDone = false; !isDone; ) {
    await turns.slice(work, left, () => {
      signal.throwIfAborted()
      const until = performance.now() + turnMs
      do isDone = !step()
      while (!isDone && performance.now() < until)
    })
  }
  return read
}

answerInThread<EmbedQuestion, EmbedAnswered>(async (question, signal) => {
  switch (question.ask) {
    case 'decode':
      return { texts: question.tokens.map((tokens) => reader.decode(tokens)) }
    case 'read':
      return { read: await readAll(question.texts, signal) }
  }
})

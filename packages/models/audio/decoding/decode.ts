// Decodes sound files of any format in a process that is killed when it takes too long or too much memory: crafted files
// make decoders spin.
import { readFile } from 'node:fs/promises'
import { ModelProblem } from '../../problem.ts'
import { ModelProcess } from '../../process/model-process.ts'
import { type Answered, type Asked, Questions } from '../../process/questions.ts'
import type { Sound } from '../wav.ts'
import type { DecodeAnswered, DecodeQuestion } from './protocol.ts'

/** For one answer: a piece of a file takes milliseconds. */
const answerMs = 60_000
const maxResidentBytes = 640 * 1024 ** 2
const memoryCheckMs = 250
const pageBytes = 4_096

type DecodeProcess = ModelProcess<Asked<DecodeQuestion>, Answered<DecodeAnswered>>

/** The process ends with the last piece, or when nobody reads on. */
export async function decode(file: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Sound> {
  const process: DecodeProcess = new ModelProcess({
    entry: new URL('./decode-process.ts', import.meta.url),
    isUnhurried: true,
    what: 'The audio decoder',
  })
  const questions = new Questions(process)
  const watch = watchMemory(process)
  const end = (): void => {
    clearInterval(watch)
    void process.stop()
  }
  const ask = async (question: DecodeQuestion): Promise<DecodeAnswered> => {
    const late = AbortSignal.timeout(answerMs)
    try {
      return await questions.ask(question, AbortSignal.any([signal, late]))
    } catch (error) {
      signal.throwIfAborted()
      // It is the file that the process died of or is stuck in.
      const isKnown = error instanceof ModelProblem && error.detail.kind !== 'failed'
      throw isKnown ? error : tooHard()
    }
  }
  try {
    for await (const bytes of file) await ask({ ask: 'add', bytes })
    const opened = await ask({ ask: 'open' })
    if (!('rate' in opened)) throw tooHard()
    return { rate: opened.rate, pieces: readPieces(ask, end) }
  } catch (error) {
    end()
    throw error
  }
}

async function* readPieces(
  ask: (question: DecodeQuestion) => Promise<DecodeAnswered>,
  end: () => void,
): AsyncGenerator<Float32Array> {
  try {
    for (;;) {
      const answer = await ask({ ask: 'next' })
      if (!('samples' in answer) || answer.samples === undefined) return
      yield answer.samples
    }
  } finally {
    end()
  }
}

function watchMemory(decoder: DecodeProcess): NodeJS.Timeout {
  const check = async (): Promise<void> => {
    const status = await readFile(`/proc/${decoder.pid}/statm`, 'latin1').catch(() => '')
    const resident = Number(status.split(' ')[1] ?? 0) * pageBytes
    if (resident > maxResidentBytes && decoder.pid !== undefined && !decoder.hasEnded)
      process.kill(decoder.pid, 'SIGKILL')
  }
  return setInterval(() => void check(), memoryCheckMs).unref()
}

const tooHard = (): ModelProblem =>
  new ModelProblem('The audio file could not be decoded: it is damaged, or takes too long or too much memory.', {
    kind: 'invalid',
    param: 'file',
  })

// The process that decodes one file. It may be killed at any time: nothing is kept in it.
import { ModelProblem } from '../../problem.ts'
import { answerQuestions } from '../../process/answer-questions.ts'
import { AudioFormatProblem } from '../wav.ts'
import { type DecodedPiece, decodeFile, rateChanges } from './av-decoder.ts'
import type { DecodeAnswered, DecodeQuestion } from './protocol.ts'

const pieces: Uint8Array[] = []
let decoding: AsyncGenerator<DecodedPiece> | undefined
let waiting: DecodedPiece | undefined
let rate = 0

async function next(): Promise<DecodedPiece | undefined> {
  const step = await decoding?.next()
  return step?.done === false ? step.value : undefined
}

async function answer(question: DecodeQuestion): Promise<DecodeAnswered> {
  if (question.ask === 'add') {
    pieces.push(question.bytes)
    return { added: true }
  }
  if (question.ask === 'open') {
    decoding = decodeFile(Buffer.concat(pieces.splice(0)))
    waiting = await next()
    if (waiting === undefined) throw new AudioFormatProblem('there is no sound in it')
    rate = waiting.rate
    return { rate }
  }
  const piece = waiting ?? (await next())
  waiting = undefined
  if (piece !== undefined && piece.rate !== rate) throw rateChanges()
  return { samples: piece?.samples }
}

answerQuestions<DecodeQuestion, DecodeAnswered>((question) =>
  answer(question).catch((error: unknown) => {
    if (!(error instanceof AudioFormatProblem)) throw error
    const message = `The audio file could not be decoded: ${error.message}.`
    throw new ModelProblem(message, { kind: 'invalid', param: 'file' })
  }),
)

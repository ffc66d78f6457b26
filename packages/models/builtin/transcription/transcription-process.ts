// The transcription model's process: samples in, words out, and whether somebody speaks. Each network is loaded when
// first needed.
import { answerQuestions } from '../../process/answer-questions.ts'
import { WorkTurns } from '../../process/work-turns.ts'
import { ExpectedWords } from './expected-words.ts'
import { Moonshine } from './moonshine.ts'
import type {
  HearingState,
  TranscriptionAnswered,
  TranscriptionQuestion,
  WriteDownQuestion,
  WrittenDown,
} from './protocol.ts'
import { isRepeating } from './repetition.ts'
import { textOf } from './vocabulary.ts'
import { firstHearing, frameSamples, VoiceActivity } from './voice-activity.ts'

/** A text that repeats itself is tried again with a little chance. */
const furtherTemperatures = [0.2, 0.5]

/** Half a second of silence takes the networks once through everything. */
const warmSamples = 8_000

const turns = new WorkTurns()
let voiceActivity: Promise<VoiceActivity> | undefined
let moonshine: Promise<Moonshine> | undefined

async function hear(samples: Float32Array, first: HearingState | undefined, signal: AbortSignal) {
  voiceActivity ??= VoiceActivity.open()
  const network = await voiceActivity
  const work = turns.next()
  const probabilities: number[] = []
  let hearing = first ?? firstHearing()
  for (let at = 0; at + frameSamples <= samples.length; at += frameSamples) {
    signal.throwIfAborted()
    const frame = samples.subarray(at, at + frameSamples)
    // Ahead of whatever is being written down: it is little, and somebody may be waiting to be interrupted.
    const heard = await turns.slice(work, 0, () => network.hear(frame, hearing))
    probabilities.push(heard.probability)
    hearing = heard.hearing
  }
  return { probabilities, hearing }
}

async function writeDown(question: WriteDownQuestion, signal: AbortSignal): Promise<WrittenDown> {
  moonshine ??= Moonshine.open()
  const model = await moonshine
  const expected = new ExpectedWords(question.vocabulary)
  const work = turns.next()
  const decode = async (temperature: number): Promise<WrittenDown> => {
    const decoded = await model.decode(question.samples, {
      temperature,
      expected,
      inSlices: (left, run) => turns.slice(work, left, run),
      signal,
    })
    return { text: textOf(decoded.tokens), ...decoded, temperature }
  }
  let written = await decode(question.temperature)
  for (const temperature of furtherTemperatures) {
    if (!isRepeating(written.text) || temperature <= written.temperature) break
    written = await decode(temperature)
  }
  return written
}

answerQuestions<TranscriptionQuestion, TranscriptionAnswered>(
  async (question, signal) => {
    if (question.ask === 'hear') return { heard: await hear(question.samples, question.hearing, signal) }
    if (question.ask === 'warm') {
      await hear(new Float32Array(frameSamples), undefined, signal)
      await writeDown(
        { ask: 'write-down', samples: new Float32Array(warmSamples), temperature: 0, vocabulary: '' },
        signal,
      )
      return { warm: true }
    }
    return { written: await writeDown(question, signal) }
  },
  { allAtOnce: true },
)

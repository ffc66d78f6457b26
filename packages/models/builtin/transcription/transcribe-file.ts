// A file's words, segment by segment: memory holds one of them, however long the file is.
import type { Call } from '../../call.ts'
import { ModelProblem } from '../../problem.ts'
import type { SpokenSegment, TranscribeRequest, TranscriptEvent } from '../../transcribe.ts'
import { ForeignSpeech } from './foreign-speech.ts'
import { openSound, soundRate } from './open-sound.ts'
import type { HearingState, WrittenDown } from './protocol.ts'
import { compressionRatio } from './repetition.ts'
import type { Transcriber } from './transcriber.ts'
import { type Utterance, UtteranceCutter } from './utterances.ts'
import { frameSamples } from './voice-activity.ts'
import { wordTimes } from './word-times.ts'

const language = 'english'
const maxHours = 4
const maxSamples = maxHours * 3_600 * soundRate

export async function* transcribeFile(
  request: TranscribeRequest,
  transcriber: Transcriber,
  call: Call,
): AsyncGenerator<TranscriptEvent> {
  mustBeEnglish(request)
  const leave = transcriber.enter(call)
  try {
    const cutter = new UtteranceCutter()
    const foreign = new ForeignSpeech(request)
    let hearing: HearingState | undefined
    let samples = 0
    for await (const block of openSound(request.audio, call.signal, transcriber.ffmpeg)) {
      samples += block.length
      if (samples > maxSamples) throw tooLong()
      const frames = wholeFrames(block)
      const heard = await transcriber.hear(frames, hearing, call)
      hearing = heard.hearing
      for (const [index, probability] of heard.probabilities.entries()) {
        const frame = frames.subarray(index * frameSamples, (index + 1) * frameSamples)
        const utterance = cutter.push({ samples: frame, probability })
        const segment = utterance && (await segmentOf(utterance, request, transcriber, call))
        if (segment !== undefined) yield* told(foreign.add(segment))
      }
    }
    const last = cutter.end()
    const segment = last && (await segmentOf(last, request, transcriber, call))
    if (segment !== undefined) yield* told(foreign.add(segment))
    yield* told(foreign.end())
    yield { kind: 'end', language, seconds: samples / soundRate }
  } finally {
    leave()
  }
}

/** The very end is filled up with silence. */
function wholeFrames(block: Float32Array): Float32Array {
  const over = block.length % frameSamples
  if (over === 0) return block
  const filled = new Float32Array(block.length + frameSamples - over)
  filled.set(block)
  return filled
}

const told = (segments: readonly SpokenSegment[]): TranscriptEvent[] =>
  segments.map((segment) => ({ kind: 'segment', segment }))

/** Undefined where nothing was understood. */
async function segmentOf(
  utterance: Utterance,
  { temperature = 0, prompt = '', words }: TranscribeRequest,
  transcriber: Transcriber,
  call: Call,
): Promise<SpokenSegment | undefined> {
  const samples = joined(utterance)
  const written = await transcriber.writeDown({ samples, temperature, vocabulary: prompt }, call)
  if (written.text === '') return undefined
  const segment = describe(utterance, written)
  return words ? { ...segment, words: wordTimes(written.text, utterance) } : segment
}

function joined({ frames }: Utterance): Float32Array {
  const samples = new Float32Array(frames.length * frameSamples)
  for (const [index, frame] of frames.entries()) samples.set(frame.samples, index * frameSamples)
  return samples
}

function describe({ at, frames }: Utterance, { text, tokens, logprobs, temperature }: WrittenDown): SpokenSegment {
  const probabilities = frames.map(({ probability }) => probability)
  return {
    start: at / soundRate,
    end: (at + frames.length * frameSamples) / soundRate,
    text,
    tokens,
    temperature,
    avgLogprob: mean(logprobs),
    compressionRatio: compressionRatio(text),
    // Nobody speaks in it only if nobody does in the frames that sound most like speech.
    noSpeechProb: 1 - mean(probabilities.sort((one, other) => other - one).slice(0, Math.ceil(frames.length / 4))),
  }
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)

/** What is not English cannot be understood here, let alone translated. */
function mustBeEnglish({ language: asked }: TranscribeRequest): void {
  if (asked === undefined || /^en(\b|glish$)/i.test(asked)) return
  throw new ModelProblem(
    'The built-in transcription model understands English only. Leave `language` away or set it to en, or put an upstream that knows other languages behind this model in the configuration.',
    { kind: 'unsupported', param: 'language' },
  )
}

const tooLong = (): ModelProblem =>
  new ModelProblem(`The audio is longer than ${maxHours} hours. Send it in shorter pieces.`, {
    kind: 'invalid',
    param: 'file',
  })

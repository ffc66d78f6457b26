// The built-in speech: English, in eleven voices. weights/speech/CARD.md tells how well they are understood.
import { randomUUID } from 'node:crypto'
import type { Log } from '@atoll/kernel/telemetry/log'
import { Admission } from '../../admission.ts'
import { encodeAac } from '../../audio/ffmpeg/encode-aac.ts'
import type { Call } from '../../call.ts'
import { ModelProblem } from '../../problem.ts'
import { SharedModel } from '../../process/shared-model.ts'
import type { Runtime } from '../../runtime.ts'
import type { SpeakRequest } from '../../speak.ts'
import { phrasesOf } from './phrases.ts'
import type { SpeechAnswered, SpeechQuestion, WrittenFormat } from './protocol.ts'
import { speechRate } from './speech-rate.ts'
import { spokenText } from './spoken-text.ts'

const defaultIdleMs = 5 * 60_000
/** One project's texts that are being spoken or wait. */
const maxPending = 64
const maxWaiting = 512
const retryAfterSeconds = 5

export interface SpeechRuntimeOptions {
  log: Log
  idleMs?: number
  backgroundShare?: number | undefined
  /** The program that writes AAC. */
  ffmpeg?: string | undefined
}

export function createSpeechRuntime(options: SpeechRuntimeOptions): Runtime {
  const { log, backgroundShare, ffmpeg, idleMs = defaultIdleMs } = options
  const pending = new Admission(maxPending)
  const model = new SharedModel<SpeechQuestion, SpeechAnswered>({
    entry: new URL('./speech-process.ts', import.meta.url),
    isUnhurried: true,
    what: 'The speech model',
    // One phrase after the other: a phrase is short, and everybody's turn comes soon.
    places: 1,
    maxWaiting,
    backgroundShare,
    idleMs,
    log,
  })

  async function* speak(request: SpeakRequest, call: Call): AsyncGenerator<Uint8Array> {
    const { format } = request
    if (format !== 'aac') return yield* say(request, format, call)
    if (ffmpeg === undefined) throw noAac()
    yield* encodeAac(ffmpeg, say(request, 'pcm', call), speechRate, call.signal)
  }

  async function* say(request: SpeakRequest, format: WrittenFormat, call: Call): AsyncGenerator<Uint8Array> {
    const phrases = phrasesOf(spokenText(request.text))
    if (phrases.length === 0) throw nothingToSay()
    const leave = pending.enter(call.turn, 1)
    if (leave === undefined) throw overloaded()
    const job = randomUUID()
    const { voice, speed } = request
    let said = 0
    try {
      for (const phrase of phrases) {
        const isLast = said === phrases.length - 1
        const { bytes, ms } = await model.ask({ ask: 'say', job, phrase, voice, speed, format, isLast }, call)
        said++
        request.onSpoken?.(ms)
        if (bytes.length > 0) yield bytes
      }
    } finally {
      leave()
      if (said > 0 && said < phrases.length) forget(job, call.turn)
    }
  }

  const forget = (job: string, turn: string): void => {
    model.ask({ ask: 'forget', job }, { signal: new AbortController().signal, turn }).catch(() => undefined)
  }

  return {
    speech: {
      speak,
      warm: async (call) => {
        await model.ask({ ask: 'warm' }, call)
      },
    },
    load: () => ({ running: pending.total, waiting: 0, isLoaded: model.isLoaded }),
    close: () => model.close(),
  }
}

const noAac = (): ModelProblem =>
  new ModelProblem(
    'The built-in voices are written as AAC by ffmpeg alone, and this server has none: whoever runs it can name one in the configuration, platform.audio.ffmpeg. Or ask for mp3, opus, flac, wav or pcm.',
    { kind: 'unsupported', param: 'response_format' },
  )

const nothingToSay = (): ModelProblem =>
  new ModelProblem(
    'There is nothing in the text that can be spoken: the built-in voices read English letters and numbers.',
    {
      kind: 'invalid',
      param: 'input',
    },
  )

const overloaded = (): ModelProblem =>
  new ModelProblem('The speech model is busy and too many texts wait for it already.', {
    kind: 'overloaded',
    retryAfterSeconds,
  })

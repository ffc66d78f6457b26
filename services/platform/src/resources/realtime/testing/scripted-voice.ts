// Ears and a voice that do what a test tells them: loud is speech, and every letter sounds for ten milliseconds.
import type { Call } from '@atoll/models/call'
import type { Runtime } from '@atoll/models/runtime'
import type { SpeakRequest } from '@atoll/models/speak'
import type { SpeechListener, TranscribeRequest, TranscriptEvent } from '@atoll/models/transcribe'
import type { StartOptions } from '../../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'

const frameSamples = 512
const loud = 1_000
const speechRate = 24_000
export const msPerLetter = 10

type Script = ConstructorParameters<typeof ScriptedChatModel>[0]
type Hearing = (index: number, seconds: number) => string | Promise<string>

export class ScriptedVoice {
  readonly chat: ScriptedChatModel
  /** What was asked of the voice. */
  readonly spoken: SpeakRequest[] = []
  /** Seconds of each sound that was to be written down. */
  readonly heardSeconds: number[] = []
  readonly #hearing: Hearing
  readonly #beforeSpeech: (index: number) => Promise<void>

  /** `beforeSpeech` is awaited before each piece is spoken. */
  constructor(script: Script, hearing: Hearing, beforeSpeech: (index: number) => Promise<void> = async () => {}) {
    this.chat = new ScriptedChatModel(script)
    this.#hearing = hearing
    this.#beforeSpeech = beforeSpeech
  }

  get start(): Pick<StartOptions, 'runtimes' | 'config'> {
    const close = async (): Promise<void> => undefined
    const runtimes: Record<string, Runtime> = {
      'builtin-chat': { chat: this.chat, close },
      ears: { transcription: { transcribe: this.#transcribe, listen: () => listener() }, close },
      voice: { speech: { speak: this.#speak }, close },
    }
    const upstream = { kind: 'upstream' as const, replicas: ['http://127.0.0.1:9/v1'], model: 'none' }
    const models = [
      { id: 'gpt-4o-realtime-preview', runtime: 'builtin-chat' },
      { id: 'whisper-1', runtime: 'ears' },
      { id: 'gpt-4o-mini-transcribe', runtime: 'ears' },
      { id: 'tts-1', runtime: 'voice' },
    ]
    return { runtimes, config: { models, runtimes: { ears: upstream, voice: upstream } } }
  }

  #transcribe = async function* (this: ScriptedVoice, request: TranscribeRequest): AsyncGenerator<TranscriptEvent> {
    let bytes = 0
    for await (const piece of request.audio.open()) bytes += piece.length
    const seconds = (bytes - 44) / 2 / 16_000
    const index = this.heardSeconds.push(seconds) - 1
    const text = await this.#hearing(index, seconds)
    const facts = { tokens: [], temperature: 0, avgLogprob: -0.1, compressionRatio: 1, noSpeechProb: 0 }
    if (text !== '') yield { kind: 'segment', segment: { start: 0, end: seconds, text: ` ${text}`, ...facts } }
    yield { kind: 'end', language: 'english', seconds }
  }.bind(this)

  #speak = async function* (this: ScriptedVoice, request: SpeakRequest, { signal }: Call): AsyncGenerator<Uint8Array> {
    const index = this.spoken.push(request) - 1
    await this.#beforeSpeech(index)
    for (const _ of request.text) {
      signal.throwIfAborted()
      yield new Uint8Array(toneOf(msPerLetter, speechRate).buffer)
    }
  }.bind(this)
}

function listener(): SpeechListener {
  let rest: number[] = []
  return {
    async hear(samples) {
      rest.push(...samples)
      const frames = []
      for (; rest.length >= frameSamples; rest = rest.slice(frameSamples)) {
        const isLoud = rest.slice(0, frameSamples).some((sample) => Math.abs(sample) > loud)
        frames.push({ probability: isLoud ? 0.9 : 0.05 })
      }
      return frames
    },
    close() {},
  }
}

/** A tone, as loud as speech. */
export const toneOf = (ms: number, rate = speechRate): Int16Array =>
  Int16Array.from({ length: (ms * rate) / 1000 }, (_, at) => 8_000 * Math.sin((2 * Math.PI * 440 * at) / rate))

export const silenceOf = (ms: number, rate = speechRate): Int16Array => new Int16Array((ms * rate) / 1000)

export const base64Of = (samples: Int16Array): string =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64')

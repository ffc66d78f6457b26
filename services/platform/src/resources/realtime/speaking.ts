// Speaks a text while it is still being written: each piece goes to the speech model as soon as it is complete.
import type { SpeechModel, Voice } from '@atoll/models/speak'
import type { ProjectCaller } from '../../callers.ts'
import type { Inference, MeteredCall, UsedModel } from '../../inference/inference.ts'
import { type AudioFormat, decodeSamples, encodeSamples, rateOf } from './audio/formats.ts'
import { Resampler } from './audio/resampler.ts'
import type { SpokenPart } from './items.ts'
import { isSpeakable, Sentences } from './sentences.ts'

const modelRate = 24_000
/** The first sound of an answer is told in small pieces, the rest in larger ones. */
const firstPieceMs = 100
const pieceMs = 400

interface Parts {
  inference: Inference
  caller: ProjectCaller
  /** The public id of the speech model. */
  model: string
  voice: Voice
  speed: number
  format: AudioFormat
  signal: AbortSignal
  part: SpokenPart
  /** Resolves when more can be taken. */
  sound(bytes: Buffer): Promise<void>
}

export class Speaking {
  readonly #parts: Parts
  readonly #sentences = new Sentences()
  readonly #waiting: string[] = []
  readonly #resampler: Resampler | undefined
  #metered: MeteredCall | undefined
  #characters = 0
  #isWritten = false
  #wake: (() => void) | undefined
  /** Samples in the client's rate, not told yet. */
  #samples: Int16Array[] = []
  #count = 0

  constructor(parts: Parts) {
    this.#parts = parts
    const rate = rateOf(parts.format)
    this.#resampler = rate === modelRate ? undefined : new Resampler(modelRate, rate)
  }

  write(delta: string): void {
    this.#waiting.push(...this.#sentences.push(delta))
    this.#wake?.()
  }

  /** Nothing more will be written. */
  end(): void {
    this.#waiting.push(...this.#sentences.end())
    this.#isWritten = true
    this.#wake?.()
  }

  /** Ends when all that was written has been spoken. */
  async run(): Promise<void> {
    let model: UsedModel<'speech'> | undefined
    try {
      for (let text = await this.#next(); text !== undefined; text = await this.#next()) {
        model ??= await this.#admit()
        await this.#speak(model.port, text)
      }
      if (this.#resampler !== undefined && this.#characters > 0) this.#samples.push(this.#resampler.end())
      await this.#tell(0)
    } finally {
      // Counted by letters: what was given to the model is what it worked on.
      if (this.#characters === 0) this.#metered?.abandon()
      const used = { model: this.#parts.model, input: 0, cachedInput: 0, output: 0, characters: this.#characters }
      this.#metered?.finish(used)
    }
  }

  async #admit(): Promise<UsedModel<'speech'>> {
    const { inference, caller, model } = this.#parts
    const found = await inference.resolve(caller, model, 'speech')
    this.#metered = await inference.meter(caller, found, { operation: 'audio_speeches', tokens: 0 })
    return found
  }

  /** Undefined: that was all. */
  async #next(): Promise<string | undefined> {
    const { signal } = this.#parts
    while (this.#waiting.length === 0 && !this.#isWritten) {
      signal.throwIfAborted()
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
    }
    signal.throwIfAborted()
    return this.#waiting.shift()
  }

  async #speak(port: SpeechModel, text: string): Promise<void> {
    const { voice, speed, signal, caller, part } = this.#parts
    this.#characters += text.length
    const startMs = part.ms
    const piece = { text, startMs, endMs: startMs }
    part.pieces.push(piece)
    if (!isSpeakable(text)) return
    let odd = Buffer.alloc(0)
    for await (const chunk of port.speak({ text, voice, format: 'pcm', speed }, { signal, turn: caller.projectId })) {
      signal.throwIfAborted()
      const bytes = Buffer.concat([odd, chunk])
      const even = bytes.length - (bytes.length % 2)
      odd = bytes.subarray(even)
      const samples = decodeSamples({ format: 'pcm16', bytes: bytes.subarray(0, even) })
      const ms = (samples.length * 1000) / modelRate
      part.ms += ms
      piece.endMs = part.ms
      this.#add(samples)
      await this.#tell(startMs === 0 ? firstPieceMs : pieceMs)
    }
    // What a sentence ends with is not held back until the next one is spoken.
    await this.#tell(0)
  }

  #add(samples: Int16Array): void {
    const own = this.#resampler === undefined ? samples : this.#resampler.push(samples)
    this.#samples.push(own)
    this.#count += own.length
  }

  /** Tells what there is, once it lasts so long. */
  async #tell(leastMs: number): Promise<void> {
    const { format, sound, signal } = this.#parts
    const rate = rateOf(format)
    if (this.#samples.length === 0 || (this.#count * 1000) / rate < leastMs) return
    const bytes = Buffer.concat(this.#samples.map((samples) => encodeSamples(format, samples)))
    this.#samples = []
    this.#count = 0
    const step = Math.floor((rate * pieceMs) / 1000) * (format === 'pcm16' ? 2 : 1)
    for (let at = 0; at < bytes.length; at += step) {
      signal.throwIfAborted()
      await sound(bytes.subarray(at, at + step))
    }
  }
}

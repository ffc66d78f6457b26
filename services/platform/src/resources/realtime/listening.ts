// Listens to the sound of a session as it comes, and tells where turns begin and end.
import { setImmediate } from 'node:timers/promises'
import type { SpeechListener } from '@atoll/models/transcribe'
import { type AudioFormat, bytesOfMs, type Clip, decodeSamples, rateOf } from './audio/formats.ts'
import { Resampler } from './audio/resampler.ts'
import type { TurnRules } from './session-settings.ts'
import { type TurnChange, TurnDetector } from './turn-detector.ts'

/** What a listener hears. */
const listenerRate = 16_000
/** Heard at once: a long append leaves turns for others. */
const pieceMs = 500

interface Parts {
  open(): Promise<SpeechListener>
  rules: TurnRules
  startMs: number
  onChange(change: TurnChange): void
  /** Nobody speaks up to here. */
  onSilence(ms: number): void
  onFailure(error: unknown): void
}

export class Listening {
  readonly #parts: Parts
  readonly #detector: TurnDetector
  readonly #waiting: Clip[] = []
  #resampler: { format: AudioFormat; work: Resampler } | undefined
  #listener: SpeechListener | undefined
  #isRunning = false
  #isClosed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#detector = new TurnDetector(parts.rules, parts.startMs)
  }

  get isSpeaking(): boolean {
    return this.#detector.isSpeaking
  }

  add(clip: Clip): void {
    const step = bytesOfMs(clip.format, pieceMs)
    for (let at = 0; at < clip.bytes.length; at += step) {
      this.#waiting.push({ format: clip.format, bytes: clip.bytes.subarray(at, at + step) })
    }
    if (this.#isRunning) return
    this.#isRunning = true
    this.#run()
      .catch((error: unknown) => {
        if (this.#isClosed) return
        this.close()
        this.#parts.onFailure(error)
      })
      .finally(() => {
        this.#isRunning = false
      })
  }

  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    this.#listener?.close()
  }

  async #run(): Promise<void> {
    this.#listener ??= await this.#parts.open()
    if (this.#isClosed) return this.#listener.close()
    for (let clip = this.#waiting.shift(); clip !== undefined; clip = this.#waiting.shift()) {
      const frames = await this.#listener.hear(this.#resampled(clip))
      for (const { probability } of frames) {
        if (this.#isClosed) return
        const change = this.#detector.frame(probability)
        if (change !== undefined) this.#parts.onChange(change)
      }
      if (!this.#isClosed && !this.#detector.isSpeaking) this.#parts.onSilence(this.#detector.nowMs)
      await setImmediate()
    }
  }

  #resampled(clip: Clip): Int16Array {
    if (this.#resampler?.format !== clip.format) {
      this.#resampler = { format: clip.format, work: new Resampler(rateOf(clip.format), listenerRate) }
    }
    return this.#resampler.work.push(decodeSamples(clip))
  }
}

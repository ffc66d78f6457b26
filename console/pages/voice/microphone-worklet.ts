// Runs in the browser's thread for sound: what the microphone hears becomes PCM16 of 24,000 samples a second, a piece
// at a time. Built as a file of its own.
import { Resampler } from '@atoll/models/audio/resampler'

/** Of the thread's own scope, which TypeScript's libraries do not describe. */
declare const sampleRate: number
declare function registerProcessor(name: string, processor: new () => SoundProcessor): void
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

abstract class SoundProcessor extends AudioWorkletProcessor {
  abstract process(inputs: Float32Array[][]): boolean
}

const targetRate = 24_000
/** 40 ms: the server decides on pieces of about this length. */
const samplesPerPiece = 960
const loudest = 0x7fff

class Microphone extends SoundProcessor {
  readonly #resampler = new Resampler(sampleRate, targetRate)
  #piece = new Int16Array(samplesPerPiece)
  #filled = 0
  #peak = 0

  process([input]: Float32Array[][]): boolean {
    const channel = input?.[0]
    if (channel === undefined) return true
    for (const value of this.#resampler.push(channel)) this.#add(value)
    return true
  }

  #add(value: number): void {
    const bounded = Math.max(-1, Math.min(1, value))
    this.#peak = Math.max(this.#peak, Math.abs(bounded))
    this.#piece[this.#filled++] = Math.round(bounded * loudest)
    if (this.#filled < samplesPerPiece) return
    this.port.postMessage({ sound: this.#piece.buffer, peak: this.#peak }, [this.#piece.buffer])
    this.#piece = new Int16Array(samplesPerPiece)
    this.#filled = 0
    this.#peak = 0
  }
}

registerProcessor('microphone', Microphone)

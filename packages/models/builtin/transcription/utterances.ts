// Cuts a sound into pieces the model can take in, where nobody speaks. Only a piece is in memory at a time.
import { frameSamples } from './voice-activity.ts'

export interface Frame {
  /** `frameSamples` of them; fewer at the very end. */
  samples: Float32Array
  probability: number
}

export interface Utterance {
  /** Samples from the beginning of the sound. */
  at: number
  frames: Frame[]
}

const framesIn = (seconds: number): number => Math.round((seconds * 16_000) / frameSamples)

const speechFrom = 0.5
const silenceBelow = 0.35
/** What is kept before and after speech: soft sounds begin and end words. */
const padFrames = framesIn(0.25)
/** A short break ends a piece that is long enough to be understood by itself, a long one any. */
const shortBreak = framesIn(0.55)
const longBreak = framesIn(1.3)
const longEnough = framesIn(4)
/** The model hears no more at once. Somebody who makes no breaks is cut where they are nearest to one. */
const mostFrames = framesIn(24)
const cutWithin = framesIn(8)
/** Shorter is a click. */
const fewestSpeechFrames = 3

export class UtteranceCutter {
  #frames: Frame[] = []
  /** The number of the frame that comes next. */
  #next = 0
  #isSpeech = false
  #silent = 0

  push(frame: Frame): Utterance | undefined {
    this.#frames.push(frame)
    this.#next++
    if (!this.#isSpeech) {
      this.#isSpeech = frame.probability >= speechFrom
      if (!this.#isSpeech && this.#frames.length > padFrames) this.#frames.shift()
      return undefined
    }
    this.#silent = frame.probability < silenceBelow ? this.#silent + 1 : 0
    const breakFrames = this.#frames.length >= longEnough + this.#silent ? shortBreak : longBreak
    if (this.#silent >= breakFrames) return this.end()
    return this.#frames.length >= mostFrames ? this.#cut() : undefined
  }

  /** What is left, if somebody speaks in it. */
  end(): Utterance | undefined {
    const { length } = this.#frames
    const kept = this.#isSpeech ? Math.min(length, length - this.#silent + padFrames) : 0
    const utterance = this.#take(kept)
    // What follows may begin in the silence that was left.
    this.#frames = this.#frames.slice(-padFrames)
    this.#isSpeech = false
    this.#silent = 0
    return utterance
  }

  #cut(): Utterance | undefined {
    const from = this.#frames.length - cutWithin
    let quietest = from
    for (let at = from; at < this.#frames.length; at++) {
      if (loudness(this.#frames[at]) < loudness(this.#frames[quietest])) quietest = at
    }
    const utterance = this.#take(quietest)
    this.#silent = 0
    return utterance
  }

  #take(count: number): Utterance | undefined {
    const at = (this.#next - this.#frames.length) * frameSamples
    const frames = this.#frames.splice(0, count)
    const spoken = frames.filter(({ probability }) => probability >= speechFrom).length
    return spoken < fewestSpeechFrames ? undefined : { at, frames }
  }
}

/** Silence first, then what is soft. */
function loudness(frame: Frame | undefined): number {
  if (frame === undefined) return Number.POSITIVE_INFINITY
  return Math.max(frame.probability, silenceBelow) * (1e-4 + energyOf(frame.samples))
}

export function energyOf(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return sum / Math.max(1, samples.length)
}

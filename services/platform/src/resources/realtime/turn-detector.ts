// From how likely somebody speaks in each moment to where turns begin and end.
import type { TurnRules } from './session-settings.ts'

/** What one answer of a listener stands for. */
export const frameMs = 32
/** Shorter than this is a click, not a word. */
const leastSpeechMs = 64
/** Speech has to fall this far below the threshold to count as silence: else it would flicker. */
const hysteresis = 0.15
const leastThreshold = 0.01

export type TurnChange = { kind: 'started'; startMs: number } | { kind: 'stopped'; endMs: number }

export class TurnDetector {
  readonly #rules: TurnRules
  /** Where the next frame begins. */
  #nowMs: number
  #isSpeaking = false
  #loudSince: number | undefined
  #quietSince: number | undefined

  constructor(rules: TurnRules, startMs: number) {
    this.#rules = rules
    this.#nowMs = startMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking
  }

  frame(probability: number): TurnChange | undefined {
    const beginsAt = this.#nowMs
    this.#nowMs += frameMs
    return this.#isSpeaking ? this.#whileSpeaking(probability, beginsAt) : this.#whileSilent(probability, beginsAt)
  }

  #whileSilent(probability: number, beginsAt: number): TurnChange | undefined {
    if (probability < this.#rules.threshold) {
      this.#loudSince = undefined
      return undefined
    }
    this.#loudSince ??= beginsAt
    if (this.#nowMs - this.#loudSince < leastSpeechMs) return undefined
    const startMs = Math.max(0, this.#loudSince - this.#rules.prefixMs)
    this.#isSpeaking = true
    this.#loudSince = undefined
    this.#quietSince = undefined
    return { kind: 'started', startMs }
  }

  #whileSpeaking(probability: number, beginsAt: number): TurnChange | undefined {
    const { threshold, silenceMs } = this.#rules
    if (probability >= threshold) this.#quietSince = undefined
    else if (probability < Math.max(leastThreshold, threshold - hysteresis)) this.#quietSince ??= beginsAt
    if (this.#quietSince === undefined || this.#nowMs - this.#quietSince < silenceMs) return undefined
    this.#isSpeaking = false
    this.#quietSince = undefined
    return { kind: 'stopped', endMs: this.#nowMs }
  }
}

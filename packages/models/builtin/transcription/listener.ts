// Listens to one sound as it arrives: the samples of a frame that is not complete yet wait for the rest.
import { toFloats } from '../../audio/samples.ts'
import type { Call } from '../../call.ts'
import type { SpeechFrame, SpeechListener } from '../../transcribe.ts'
import type { HearingState } from './protocol.ts'
import type { Transcriber } from './transcriber.ts'
import { frameSamples } from './voice-activity.ts'

export class Listener implements SpeechListener {
  readonly #transcriber: Transcriber
  readonly #call: Call
  readonly #closed = new AbortController()
  #kept = new Float32Array(0)
  #hearing: HearingState | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(transcriber: Transcriber, call: Call) {
    this.#transcriber = transcriber
    this.#call = { ...call, signal: AbortSignal.any([call.signal, this.#closed.signal]) }
  }

  hear(samples: Int16Array): Promise<SpeechFrame[]> {
    const heard = this.#last.then(() => this.#hear(toFloats(samples)))
    this.#last = heard.catch(() => undefined)
    return heard
  }

  close(): void {
    this.#closed.abort(new Error('nobody listens any more'))
  }

  async #hear(samples: Float32Array): Promise<SpeechFrame[]> {
    const all = new Float32Array(this.#kept.length + samples.length)
    all.set(this.#kept)
    all.set(samples, this.#kept.length)
    const whole = all.length - (all.length % frameSamples)
    this.#kept = all.slice(whole)
    if (whole === 0) return []
    const { probabilities, hearing } = await this.#transcriber.hear(all.subarray(0, whole), this.#hearing, this.#call)
    this.#hearing = hearing
    return probabilities.map((probability) => ({ probability }))
  }
}

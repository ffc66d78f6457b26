// One phrase as samples, in the voice that was asked for.
import { Resampler } from '../../audio/resampler.ts'
import { toFloats } from '../../audio/samples.ts'
import type { Voice } from '../../speak.ts'
import { Flite } from './flite.ts'
import { speechRate } from './speech-rate.ts'
import { fliteArguments, voiceSettings } from './voices.ts'

const wavHeaderBytes = 44

export class Synthesizer {
  readonly #flite: Flite

  constructor(flite: Flite) {
    this.#flite = flite
  }

  static async open(): Promise<Synthesizer> {
    return new Synthesizer(await Flite.open())
  }

  say(phrase: string, voice: Voice, speed: number): Float32Array {
    const settings = voiceSettings[voice]
    const wav = this.#flite.run(fliteArguments(settings, speed, phrase))
    const bytes = wav.slice(wavHeaderBytes)
    const samples = toFloats(new Int16Array(bytes.buffer, 0, bytes.length >> 1))
    const resampler = new Resampler(settings.speaker.rate * settings.size, speechRate)
    const first = resampler.push(samples)
    const last = resampler.end()
    const all = new Float32Array(first.length + last.length)
    all.set(first)
    all.set(last, first.length)
    return all
  }
}

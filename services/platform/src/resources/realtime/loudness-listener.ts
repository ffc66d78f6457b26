// Tells speech from silence by loudness above the usual noise: for transcription models that cannot tell themselves.
import type { SpeechFrame, SpeechListener } from '@atoll/models/transcribe'

const frameSamples = 512
const loudestSilenceDb = -50
/** Above the noise, where speech is as likely as not. */
const evenDb = 12
const slopeDb = 3
/** Noise that grows is believed slowly, noise that shrinks at once. */
const risePerFrame = 0.02

export class LoudnessListener implements SpeechListener {
  #rest = new Int16Array(0)
  #noiseDb = -60

  async hear(samples: Int16Array): Promise<SpeechFrame[]> {
    const all = new Int16Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    const whole = all.length - (all.length % frameSamples)
    this.#rest = all.slice(whole)
    const frames: SpeechFrame[] = []
    for (let at = 0; at < whole; at += frameSamples) frames.push(this.#judge(all.subarray(at, at + frameSamples)))
    return frames
  }

  close(): void {
    this.#rest = new Int16Array(0)
  }

  #judge(frame: Int16Array): SpeechFrame {
    let energy = 0
    for (const sample of frame) energy += sample * sample
    const db = 10 * Math.log10(energy / frame.length / 32_768 ** 2 + 1e-10)
    this.#noiseDb = db < this.#noiseDb ? db : this.#noiseDb + (db - this.#noiseDb) * risePerFrame
    const above = db - Math.max(this.#noiseDb, loudestSilenceDb)
    return { probability: 1 / (1 + Math.exp((evenDb - above) / slopeDb)) }
  }
}

// Sound that has come and belongs to no item yet. Times count from the beginning of the session.
import { type AudioFormat, bytesOfMs, bytesPerSample, type Clip, msOf } from './audio/formats.ts'

interface TimedClip extends Clip {
  startMs: number
}

export class InputBuffer {
  #clips: TimedClip[] = []
  #bytes = 0
  #endMs = 0
  /** Half a sample, when a client cuts where it likes. */
  #odd: Clip | undefined

  get bytes(): number {
    return this.#bytes
  }

  get startMs(): number {
    return this.#clips[0]?.startMs ?? this.#endMs
  }

  get endMs(): number {
    return this.#endMs
  }

  /** Gives back what was added, in whole samples. */
  append(format: AudioFormat, given: Buffer): Clip {
    const bytes = this.#odd?.format === format ? Buffer.concat([this.#odd.bytes, given]) : given
    const whole = bytes.length - (bytes.length % bytesPerSample(format))
    this.#odd = whole < bytes.length ? { format, bytes: bytes.subarray(whole) } : undefined
    const clip = { format, bytes: bytes.subarray(0, whole), startMs: this.#endMs }
    if (whole > 0) this.#clips.push(clip)
    this.#bytes += whole
    this.#endMs += msOf(clip)
    return clip
  }

  /** From one moment to another; what lies before the second is gone then. */
  take(fromMs = this.startMs, toMs = this.#endMs): Clip[] {
    this.dropBefore(fromMs)
    const taken: Clip[] = []
    while (this.#clips[0] !== undefined && this.#clips[0].startMs < toMs) {
      const piece = this.#cutFirst(toMs)
      if (piece !== undefined) taken.push({ format: piece.format, bytes: piece.bytes })
    }
    return taken
  }

  dropBefore(ms: number): void {
    while (this.#clips[0] !== undefined && this.#clips[0].startMs < ms) {
      if (this.#cutFirst(ms) === undefined) return
    }
  }

  clear(): void {
    this.#clips = []
    this.#bytes = 0
    this.#odd = undefined
  }

  /** The first clip, or what of it lies before a moment; undefined when that is less than a sample. */
  #cutFirst(ms: number): Clip | undefined {
    const first = this.#clips[0] as TimedClip
    const length = Math.min(first.bytes.length, bytesOfMs(first.format, ms - first.startMs))
    const piece = { format: first.format, bytes: first.bytes.subarray(0, length) }
    if (length === first.bytes.length) this.#clips.shift()
    else {
      const rest = { format: first.format, bytes: first.bytes.subarray(length) }
      // A sample that a moment falls into belongs to what comes after it.
      this.#clips[0] = { ...rest, startMs: length === 0 ? ms : first.startMs + msOf(piece) }
      if (this.#clips[0].startMs < ms) this.#clips[0].startMs = ms
    }
    this.#bytes -= length
    return length === 0 ? undefined : piece
  }
}

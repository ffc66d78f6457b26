// The forms in which a session takes and gives sound.
import { endianness } from 'node:os'
import { aLaw, type Companding, muLaw } from './g711.ts'

export type AudioFormat = 'pcm16' | 'g711_ulaw' | 'g711_alaw'

/** A stretch of sound as it came. */
export interface Clip {
  format: AudioFormat
  bytes: Buffer
}

interface FormatFacts {
  /** Samples a second. */
  rate: number
  bytesPerSample: 1 | 2
  companding?: () => Companding
}

const formats: Record<AudioFormat, FormatFacts> = {
  pcm16: { rate: 24_000, bytesPerSample: 2 },
  g711_ulaw: { rate: 8_000, bytesPerSample: 1, companding: muLaw },
  g711_alaw: { rate: 8_000, bytesPerSample: 1, companding: aLaw },
}

export const rateOf = (format: AudioFormat): number => formats[format].rate
export const bytesPerSample = (format: AudioFormat): 1 | 2 => formats[format].bytesPerSample

export const msOf = ({ format, bytes }: Clip): number =>
  (bytes.length * 1000) / (formats[format].rate * formats[format].bytesPerSample)

/** Of whole samples. */
export const bytesOfMs = (format: AudioFormat, ms: number): number =>
  Math.round((ms * formats[format].rate) / 1000) * formats[format].bytesPerSample

const isLittleEndian = endianness() === 'LE'

export function decodeSamples({ format, bytes }: Clip): Int16Array {
  const companding = formats[format].companding?.()
  if (companding !== undefined) {
    const samples = new Int16Array(bytes.length)
    for (let at = 0; at < bytes.length; at++) samples[at] = companding.decoded[bytes[at] as number] as number
    return samples
  }
  const samples = new Int16Array(bytes.length >> 1)
  if (isLittleEndian) new Uint8Array(samples.buffer).set(bytes.subarray(0, samples.byteLength))
  else for (let at = 0; at < samples.length; at++) samples[at] = bytes.readInt16LE(at * 2)
  return samples
}

export function encodeSamples(format: AudioFormat, samples: Int16Array): Buffer {
  const companding = formats[format].companding?.()
  if (companding !== undefined) {
    const bytes = Buffer.allocUnsafe(samples.length)
    for (let at = 0; at < samples.length; at++) {
      bytes[at] = companding.encoded[(samples[at] as number) & 0xffff] as number
    }
    return bytes
  }
  const bytes = Buffer.allocUnsafe(samples.length * 2)
  if (isLittleEndian) bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
  else for (let at = 0; at < samples.length; at++) bytes.writeInt16LE(samples[at] as number, at * 2)
  return bytes
}

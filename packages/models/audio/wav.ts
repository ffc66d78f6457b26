// WAV files: read piece by piece, whatever their length, and written without knowing it.
import { decodeAlaw, decodeMulaw } from './g711.ts'

/** Mono, as numbers from -1 to 1. */
export interface Sound {
  rate: number
  pieces: AsyncIterable<Float32Array>
}

export class AudioFormatProblem extends Error {
  override readonly name = 'AudioFormatProblem'
}

interface SampleLayout {
  rate: number
  channels: number
  bytes: number
  read(view: DataView, at: number): number
}

const formats = { pcm: 1, float: 3, alaw: 6, mulaw: 7, extensible: 0xfffe }
const maxChannels = 32
const minRate = 1_000
const maxRate = 384_000
/** A header with more before its samples is none that anybody writes. */
const maxHeaderBytes = 1 << 20

export const isWav = (start: Uint8Array): boolean => {
  const text = Buffer.from(start.subarray(0, 12)).toString('latin1')
  return /^(RIFF|RF64)/.test(text) && text.endsWith('WAVE')
}

/** Reads up to the samples; throws when the file is none that can be read. */
export async function readWav(file: AsyncIterable<Uint8Array>): Promise<Sound> {
  const bytes = file[Symbol.asyncIterator]()
  let header = Buffer.alloc(0)
  for (;;) {
    const found = samplesStart(header)
    if (found !== undefined) {
      return { rate: found.layout.rate, pieces: readSamples(found, header.subarray(found.at), bytes) }
    }
    if (header.length > maxHeaderBytes) throw new AudioFormatProblem('it has no samples where a WAV file has them')
    const next = await bytes.next()
    if (next.done) throw new AudioFormatProblem('it ends before its first sample')
    header = Buffer.concat([header, next.value])
  }
}

interface SamplesStart {
  layout: SampleLayout
  at: number
  length: number
}

function samplesStart(header: Buffer): SamplesStart | undefined {
  let layout: SampleLayout | undefined
  for (let at = 12; at + 8 <= header.length; ) {
    const name = header.toString('latin1', at, at + 4)
    const length = header.readUInt32LE(at + 4)
    if (name === 'data') {
      if (layout === undefined) throw new AudioFormatProblem('it does not say how its samples are written')
      // A file that was written to a pipe does not know its length.
      const isOpen = length === 0 || length >= 0xffffff00
      return { layout, at: at + 8, length: isOpen ? Number.POSITIVE_INFINITY : length }
    }
    if (name === 'fmt ') {
      if (at + 8 + length > header.length) return undefined
      layout = layoutOf(header.subarray(at + 8, at + 8 + length))
    }
    at += 8 + length + (length % 2)
  }
  return undefined
}

function layoutOf(chunk: Buffer): SampleLayout {
  if (chunk.length < 16) throw new AudioFormatProblem('its description is too short')
  const written = chunk.readUInt16LE(0)
  const format = written === formats.extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : written
  const channels = chunk.readUInt16LE(2)
  const rate = chunk.readUInt32LE(4)
  const bits = chunk.readUInt16LE(14)
  if (channels < 1 || channels > maxChannels) throw new AudioFormatProblem(`it has ${channels} channels`)
  if (rate < minRate || rate > maxRate) throw new AudioFormatProblem(`it has ${rate} samples a second`)
  const read = readers[`${format}/${bits}`]
  if (read === undefined)
    throw new AudioFormatProblem(`its samples (kind ${format}, ${bits} bits) are of no known kind`)
  return { rate, channels, bytes: bits / 8, read }
}

const readers: Record<string, SampleLayout['read'] | undefined> = {
  [`${formats.pcm}/8`]: (view, at) => (view.getUint8(at) - 0x80) / 0x80,
  [`${formats.pcm}/16`]: (view, at) => view.getInt16(at, true) / 0x8000,
  [`${formats.pcm}/24`]: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 0x800000,
  [`${formats.pcm}/32`]: (view, at) => view.getInt32(at, true) / 0x80000000,
  [`${formats.float}/32`]: (view, at) => finite(view.getFloat32(at, true)),
  [`${formats.float}/64`]: (view, at) => finite(view.getFloat64(at, true)),
  [`${formats.alaw}/8`]: (view, at) => decodeAlaw(view.getUint8(at)) / 0x8000,
  [`${formats.mulaw}/8`]: (view, at) => decodeMulaw(view.getUint8(at)) / 0x8000,
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)

async function* readSamples(
  { layout, length }: SamplesStart,
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Float32Array> {
  const frameBytes = layout.bytes * layout.channels
  let left = length
  let kept = first
  try {
    for (;;) {
      const usable = Math.min(kept.length, left)
      const whole = usable - (usable % frameBytes)
      if (whole > 0) yield mixDown(kept.subarray(0, whole), layout)
      left -= whole
      if (left < frameBytes) return
      const next = await rest.next()
      if (next.done) return
      kept = Buffer.concat([kept.subarray(whole), next.value])
    }
  } finally {
    await rest.return?.()
  }
}

/** The mean of all channels. */
function mixDown(bytes: Uint8Array, { channels, bytes: sampleBytes, read }: SampleLayout): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mono = new Float32Array(bytes.length / (sampleBytes * channels))
  for (let at = 0, byte = 0; at < mono.length; at++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, byte += sampleBytes) sum += read(view, byte)
    mono[at] = sum / channels
  }
  return mono
}

/** Of 16-bit mono samples; without their count, as players accept of a stream. */
export function wavHeader(rate: number, samples?: number): Uint8Array {
  const header = Buffer.alloc(44)
  const dataBytes = samples === undefined ? 0xffffffff : samples * 2
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(samples === undefined ? 0xffffffff : dataBytes + 36, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(formats.pcm, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}

/** A file that was written without knowing its length, now that it is whole. */
export function closeWav(file: Uint8Array): Buffer {
  const closed = Buffer.from(file)
  const isOpen = closed.length >= 44 && isWav(closed) && closed.readUInt32LE(40) === 0xffffffff
  if (!isOpen || closed.toString('latin1', 36, 40) !== 'data') return closed
  closed.writeUInt32LE(closed.length - 8, 4)
  closed.writeUInt32LE(closed.length - 44, 40)
  return closed
}

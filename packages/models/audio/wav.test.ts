import { expect, it } from 'vitest'
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from './g711.ts'
import { Resampler } from './resampler.ts'
import { bytesOf, toInt16 } from './samples.ts'
import { readWav, wavHeader } from './wav.ts'

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function samplesOf(bytes: Uint8Array, length: number): Promise<{ rate: number; samples: number[] }> {
  const { rate, pieces } = await readWav(inPieces(bytes, length))
  const samples: number[] = []
  for await (const piece of pieces) samples.push(...piece)
  return { rate, samples }
}

const ramp = Float32Array.from({ length: 1_000 }, (_, at) => (at - 500) / 512)

it.each([1, 7, 100_000])('reads a file that arrives in pieces of %i bytes', async (length) => {
  for (const count of [ramp.length, undefined]) {
    const file = Buffer.concat([wavHeader(24_000, count), bytesOf(toInt16(ramp))])
    const { rate, samples } = await samplesOf(file, length)
    expect(rate).toBe(24_000)
    expect(samples).toEqual([...ramp])
  }
})

it('mixes channels, and leaves alone what follows the samples', async () => {
  const stereo = Int16Array.of(1_000, 3_000, -8_000, -4_000)
  const header = Buffer.from(wavHeader(8_000, 4))
  header.writeUInt16LE(2, 22)
  const { samples } = await samplesOf(Buffer.concat([header, bytesOf(stereo), Buffer.from('LIST....')]), 3)
  expect(samples.map((sample) => Math.round(sample * 0x8000))).toEqual([2_000, -6_000])
})

it.each([
  ['is cut off in its header', wavHeader(8_000, 0).subarray(0, 40), /ends before/],
  ['has no channels', Buffer.from(wavHeader(8_000, 0)).fill(0, 22, 24), /0 channels/],
  ['has no rate', Buffer.from(wavHeader(8_000, 0)).fill(0, 24, 28), /0 samples a second/],
  ['has samples nobody knows', Buffer.from(wavHeader(8_000, 0)).fill(17, 20, 21), /no known kind/],
])('refuses a file that %s', async (_, file, reason) => {
  await expect(readWav(inPieces(file, 1_000))).rejects.toThrow(reason)
})

it.each([
  ['µ-law', encodeMulaw, decodeMulaw, 0.04],
  ['A-law', encodeAlaw, decodeAlaw, 0.07],
] as const)('every code of %s means a sample that has this code, and samples stay near', (_, encode, decode, error) => {
  for (let code = 0; code < 256; code++) expect(decode(encode(decode(code)))).toBe(decode(code))
  for (let sample = -32_000; sample <= 32_000; sample += 37) {
    expect(Math.abs(decode(encode(sample)) - sample)).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) * error))
  }
})

it.each([
  [16_000, 24_000],
  [48_000, 16_000],
  [44_100, 16_000],
  [15_200, 24_000],
  [48_000, 24_000],
  [44_100, 24_000],
  [24_000, 24_000],
  [8_000, 24_000],
])('keeps a tone as it is from %i to %i samples a second', (from, to) => {
  const tone = (rate: number, count: number) =>
    Float32Array.from({ length: count }, (_, at) => 0.5 * Math.sin((2 * Math.PI * 440 * at) / rate))
  const resampler = new Resampler(from, to)
  const input = tone(from, from)
  const output: number[] = []
  // So many at a time come from the microphone of a browser.
  for (let at = 0; at < input.length; at += 128) output.push(...resampler.push(input.subarray(at, at + 128)))
  output.push(...resampler.end())
  expect(Math.abs(output.length - to)).toBeLessThanOrEqual(2)
  const expected = tone(to, to)
  const middle = output.slice(200, to - 200)
  const worst = Math.max(...middle.map((sample, at) => Math.abs(sample - (expected[at + 200] as number))))
  expect(worst).toBeLessThan(0.01)
})

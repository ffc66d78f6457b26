import { expect, it } from 'vitest'
import { Resampler } from './resample.ts'

const tone = (rate: number, hertz: number): Float32Array =>
  Float32Array.from({ length: rate }, (_, index) => Math.sin((2 * Math.PI * hertz * index) / rate))

/** As a browser gives it: 128 samples at a time. */
function resampled(sound: Float32Array, from: number, to: number): number[] {
  const resampler = new Resampler(from, to)
  const made: number[] = []
  for (let at = 0; at < sound.length; at += 128) made.push(...resampler.take(sound.subarray(at, at + 128)))
  return made
}

const loudness = (samples: readonly number[]): number =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)

it.each([48_000, 44_100, 24_000, 16_000, 8_000])('brings sound of %i samples a second to 24,000', (rate) => {
  const made = resampled(tone(rate, 440), rate, 24_000)
  expect(Math.abs(made.length - 24_000)).toBeLessThanOrEqual(1)
  expect(loudness(made)).toBeCloseTo(Math.SQRT1_2, 1)
  const crossings = made.filter((value, index) => index > 0 && value >= 0 && (made[index - 1] ?? 0) < 0).length
  expect(Math.abs(crossings - 440)).toBeLessThanOrEqual(1)
})

it('leaves a sound of the same rate as it is, wherever it is cut', () => {
  const sound = tone(24_000, 1_000)
  const made = resampled(sound, 24_000, 24_000)
  expect(made).toEqual([...sound])
})

import { describe, expect, it } from 'vitest'
import { bytesOfMs, decodeSamples, encodeSamples, msOf } from './formats.ts'
import { Resampler } from './resampler.ts'

const tone = (hertz: number, rate: number, seconds = 0.5): Int16Array =>
  Int16Array.from({ length: rate * seconds }, (_, at) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / rate)),
  )

const loudness = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

function resampled(samples: Int16Array, from: number, to: number, pieceLength = samples.length): Int16Array {
  const resampler = new Resampler(from, to)
  const out: number[] = []
  for (let at = 0; at < samples.length; at += pieceLength)
    out.push(...resampler.push(samples.slice(at, at + pieceLength)))
  out.push(...resampler.end())
  return Int16Array.from(out)
}

/** The loudest difference, away from the ends. */
function worst(one: Int16Array, other: Int16Array): number {
  let most = 0
  for (let at = 400; at < Math.min(one.length, other.length) - 400; at++) {
    most = Math.max(most, Math.abs((one[at] as number) - (other[at] as number)))
  }
  return most
}

describe('G.711', () => {
  it.each(['g711_ulaw', 'g711_alaw'] as const)('%s gives every code back, and comes near every sample', (format) => {
    const codes = Buffer.from(Array.from({ length: 256 }, (_, code) => code))
    const samples = decodeSamples({ format, bytes: codes })
    const again = decodeSamples({ format, bytes: encodeSamples(format, samples) })
    expect(again).toEqual(samples)
    const ramp = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768)
    const near = decodeSamples({ format, bytes: encodeSamples(format, ramp) })
    ramp.forEach((sample, at) => {
      expect(Math.abs(sample - (near[at] as number))).toBeLessThanOrEqual(Math.max(8, Math.abs(sample) / 16 + 150))
    })
  })

  it('knows the codes of the standard', () => {
    expect([...decodeSamples({ format: 'g711_ulaw', bytes: Buffer.from([0xff, 0x7f, 0x80, 0x00]) })]).toEqual([
      0, 0, 32_124, -32_124,
    ])
    expect([...decodeSamples({ format: 'g711_alaw', bytes: Buffer.from([0xd5, 0x55, 0xaa, 0x2a]) })]).toEqual([
      8, -8, 32_256, -32_256,
    ])
  })
})

describe('a resampler', () => {
  it.each([
    [24_000, 16_000],
    [24_000, 8_000],
    [8_000, 16_000],
    [8_000, 24_000],
  ])('from %i to %i keeps a tone and its place in time', (from, to) => {
    const out = resampled(tone(1_000, from), from, to)
    expect(Math.abs(out.length - to / 2)).toBeLessThanOrEqual(2)
    expect(worst(out, tone(1_000, to))).toBeLessThan(60)
  })

  it('takes out what the new rate cannot hold', () => {
    expect(loudness(resampled(tone(10_000, 24_000), 24_000, 16_000).slice(400, -400))).toBeLessThan(10)
    expect(loudness(resampled(tone(5_000, 24_000), 24_000, 8_000).slice(400, -400))).toBeLessThan(10)
  })

  it('does not care how a sound is cut', () => {
    const sound = tone(700, 24_000)
    const whole = resampled(sound, 24_000, 16_000)
    for (const length of [1, 7, 480, 4_801]) expect(resampled(sound, 24_000, 16_000, length)).toEqual(whole)
  })
})

it('lengths of sounds are exact', () => {
  expect(msOf({ format: 'pcm16', bytes: Buffer.alloc(48_000) })).toBe(1000)
  expect(msOf({ format: 'g711_alaw', bytes: Buffer.alloc(800) })).toBe(100)
  expect(bytesOfMs('pcm16', 100)).toBe(4800)
})

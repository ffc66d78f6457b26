// The parts of a session that hold no connection: where speech is cut, kept and spoken.
import { describe, expect, it } from 'vitest'
import { InputBuffer } from './input-buffer.ts'
import { LoudnessListener } from './loudness-listener.ts'
import { rateLimitsOf } from './rate-limits.ts'
import { Sentences } from './sentences.ts'
import { toneOf } from './testing/scripted-voice.ts'
import { frameMs, type TurnChange, TurnDetector } from './turn-detector.ts'

function spoken(deltas: readonly string[]): string[] {
  const sentences = new Sentences()
  return [...deltas.flatMap((delta) => sentences.push(delta)), ...sentences.end()]
}

describe('sentences', () => {
  it('are spoken as soon as they are whole, however they are written', () => {
    const text = 'Yes. It is 3.5 km, Dr. Smith said! Is it? "Indeed." So be it'
    const expected = ['Yes.', ' It is 3.5 km, Dr. Smith said!', ' Is it?', ' "Indeed."', ' So be it']
    expect(spoken([text])).toEqual(expected)
    expect(spoken([...text])).toEqual(expected)
  })

  it('are cut when they are long, at a comma or a space, the first one sooner', () => {
    const long = `${'word '.repeat(8)}, ${'word '.repeat(200)}`
    const pieces = spoken([long])
    expect(pieces.join('')).toBe(long)
    expect(pieces[0]?.length).toBeLessThan(60)
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(401)
    expect(spoken(['x'.repeat(1_000)]).every((piece) => piece.length <= 400)).toBe(true)
    expect(spoken(['', '  ', '\n'])).toEqual([])
  })
})

describe('turns', () => {
  const rules = { threshold: 0.5, prefixMs: 100, silenceMs: 320 }
  const changes = (probabilities: readonly number[], startMs = 0): TurnChange[] => {
    const detector = new TurnDetector(rules, startMs)
    return probabilities.flatMap((probability) => detector.frame(probability) ?? [])
  }
  const frames = (count: number, probability: number): number[] => Array(count).fill(probability)

  it('begin with speech, not with a click, and end with silence', () => {
    expect(changes([0.1, 0.9, 0.1, 0.9, 0.1])).toEqual([])
    const talk = [...frames(10, 0.1), ...frames(10, 0.9), ...frames(9, 0.1), ...frames(5, 0.9), ...frames(12, 0.1)]
    expect(changes(talk, 1_000)).toEqual([
      { kind: 'started', startMs: 1_000 + 10 * frameMs - 100 },
      { kind: 'stopped', endMs: 1_000 + (34 + 10) * frameMs },
    ])
  })

  it('do not end while it is doubtful', () => {
    expect(changes([...frames(3, 0.9), ...frames(40, 0.4)])).toHaveLength(1)
    expect(changes([...frames(3, 0.9), ...frames(40, 0.3)])).toHaveLength(2)
  })
})

describe('the buffer of sound', () => {
  it('cuts at moments, across clips and formats', () => {
    const buffer = new InputBuffer()
    buffer.append('pcm16', Buffer.alloc(4_800))
    buffer.append('g711_ulaw', Buffer.alloc(800))
    expect([buffer.startMs, buffer.endMs]).toEqual([0, 200])
    const taken = buffer.take(50, 150)
    expect(taken.map(({ format, bytes }) => [format, bytes.length])).toEqual([
      ['pcm16', 2_400],
      ['g711_ulaw', 400],
    ])
    expect([buffer.startMs, buffer.endMs, buffer.bytes]).toEqual([150, 200, 400])
    buffer.dropBefore(180.01)
    expect(buffer.startMs).toBeGreaterThanOrEqual(180)
    buffer.clear()
    expect([buffer.startMs, buffer.bytes]).toEqual([200, 0])
  })

  it('puts samples together that came in halves', () => {
    const buffer = new InputBuffer()
    for (const byte of [1, 2, 3]) buffer.append('pcm16', Buffer.from([byte]))
    buffer.append('pcm16', Buffer.from([4]))
    expect(Buffer.concat(buffer.take().map(({ bytes }) => bytes))).toEqual(Buffer.from([1, 2, 3, 4]))
  })
})

it('loudness tells speech from noise', async () => {
  const listener = new LoudnessListener()
  const noise = Int16Array.from({ length: 16_000 }, (_, at) => ((at * 7919) % 61) - 30)
  const quiet = await listener.hear(noise)
  const loud = await listener.hear(toneOf(500, 16_000))
  expect(Math.max(...quiet.map(({ probability }) => probability))).toBeLessThan(0.2)
  expect(Math.min(...loud.slice(1).map(({ probability }) => probability))).toBeGreaterThan(0.8)
})

it('rate limits are read from the headers of any call', () => {
  const headers = {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1m2.5s',
    'x-ratelimit-reset-tokens': '20ms',
  }
  expect(rateLimitsOf(headers)).toEqual([
    { name: 'requests', limit: 60, remaining: 59, reset_seconds: 62.5 },
    { name: 'tokens', limit: 0, remaining: 0, reset_seconds: 0.02 },
  ])
})

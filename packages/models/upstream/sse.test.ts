import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventTooLarge, SseReader } from './sse.ts'

function read(pieces: Iterable<Buffer>, maxEventBytes = 1_000): string[] {
  const reader = new SseReader(maxEventBytes)
  const events: string[] = []
  for (const piece of pieces) {
    reader.push(piece)
    for (let data = reader.next(); data !== undefined; data = reader.next()) events.push(data)
  }
  return events
}

const whole = (text: string): Buffer[] => [Buffer.from(text)]

describe('server-sent events', () => {
  it('are read with either line end, with and without the space', () => {
    expect(read(whole('data: one\n\ndata:two\r\n\r\n'))).toEqual(['one', 'two'])
  })

  it('skip comments and other fields, and join lines of data', () => {
    expect(read(whole(': ping\n\nevent: x\nid: 7\nretry: 9\ndata: a\ndata: b\ndatabase: c\ndata\n\n'))).toEqual([
      'a\nb\n',
    ])
  })

  it('skip a byte order mark, and give nothing for an event without its end', () => {
    expect(read(whole('\ufeffdata: one\n\ndata: two\n'))).toEqual(['one'])
  })

  it('are the same wherever the bytes are cut', () => {
    const text = ': hi\r\n\r\ndata: {"a":"ä€𝄞"}\r\n\r\ndata: x\ndata: y\n\ndata: [DONE]\n\n'
    const bytes = Buffer.from(text)
    const expected = read([bytes])
    expect(expected).toEqual(['{"a":"ä€𝄞"}', 'x\ny', '[DONE]'])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const pieces = edges.slice(1).map((end, at) => bytes.subarray(edges[at], end))
        expect(read(pieces)).toEqual(expected)
      }),
    )
  })

  it('are refused when one is too large, also one that never ends', () => {
    expect(() => read(whole(`data: ${'x'.repeat(200)}\n\n`), 100)).toThrow(EventTooLarge)
    expect(() =>
      read(
        Array.from({ length: 20 }, () => Buffer.alloc(10, 'x')),
        100,
      ),
    ).toThrow(EventTooLarge)
    expect(() => read(whole(`data: ${'x'.repeat(60)}\n`.repeat(2)), 100)).toThrow(EventTooLarge)
  })
})

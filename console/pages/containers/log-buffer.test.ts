import { describe, expect, it } from 'vitest'
import { Frames } from './demultiplex.ts'
import { LogBuffer, maxLineLetters, maxLines } from './log-buffer.ts'

describe('a log that is followed', () => {
  it('keeps its last lines and counts the others', () => {
    const log = new LogBuffer()
    for (let block = 0; block < 1_000; block++) {
      log.push(Array.from({ length: 100 }, (_, line) => `line ${block * 100 + line}\n`).join(''))
    }
    const lines = log.lines()
    expect(lines).toHaveLength(maxLines)
    expect(lines.at(-1)).toBe('line 99999')
    expect(log.dropped).toBe(100_000 - maxLines)
    log.push(`${'\n'.repeat(50_000)}last`)
    expect(log.lines().at(-1)).toBe('last')
    expect(log.dropped + maxLines).toBe(150_000)
  })

  it('keeps no line without end, and shows no colours or moves of the cursor', () => {
    const log = new LogBuffer()
    for (let piece = 0; piece < 1_000; piece++) log.push('x'.repeat(1_000))
    expect(log.lines()[0]?.length).toBeLessThanOrEqual(maxLineLetters + 2)
    log.push('\n\u001b[31mred\u001b[0m \u001b]0;title\u0007and\u001b[2K plain\u0000\r\nhalf')
    expect(log.lines().slice(-2)).toEqual(['red and plain', 'half'])
    log.push(' a line\n')
    expect(log.lines().at(-1)).toBe('half a line')
  })
})

describe('the two outputs in one stream', () => {
  it('are read however they are cut', () => {
    const frame = (stream: number, text: string) => [
      stream,
      0,
      0,
      0,
      0,
      0,
      0,
      text.length,
      ...new TextEncoder().encode(text),
    ]
    const bytes = Uint8Array.from([
      ...frame(1, 'out\n'),
      ...frame(2, ''),
      ...frame(2, 'problem\n'),
      ...frame(1, 'more\n'),
    ])
    for (let size = 1; size <= bytes.length; size++) {
      const frames = new Frames()
      let text = ''
      for (let at = 0; at < bytes.length; at += size) {
        for (const piece of frames.push(bytes.slice(at, at + size))) text += new TextDecoder().decode(piece)
      }
      expect(text).toBe('out\nproblem\nmore\n')
    }
  })
})

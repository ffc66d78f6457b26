import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import { describe, expect, it } from 'vitest'
import type { ChunkSizes } from '../documents.ts'
import { markLines } from '../reading/line-marks.ts'
import { MarkdownMarker } from '../reading/markdown.ts'
import { Chunker, type PlacedChunk } from './chunker.ts'

const automatic: ChunkSizes = { maxTokens: 800, overlapTokens: 400 }
const real = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })

function chunksOf(text: string, sizes: ChunkSizes, pieceLength = text.length + 1): PlacedChunk[] {
  const chunker = new Chunker(sizes, 'a.txt')
  const chunks: PlacedChunk[] = []
  for (let at = 0; at < text.length; at += pieceLength) chunks.push(...chunker.add(text.slice(at, at + pieceLength)))
  return [...chunks, ...chunker.finish()]
}

async function markdownChunks(text: string, sizes: ChunkSizes, pieceLength: number): Promise<PlacedChunk[]> {
  async function* pieces(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += pieceLength) yield text.slice(at, at + pieceLength)
  }
  const chunker = new Chunker(sizes, 'a.md')
  const chunks: PlacedChunk[] = []
  for await (const piece of markLines(pieces(), new MarkdownMarker())) chunks.push(...chunker.add(piece))
  return [...chunks, ...chunker.finish()]
}

/** Everything that must hold for any text. */
function expectSound(text: string, sizes: ChunkSizes, chunks: readonly PlacedChunk[]): void {
  let covered = 0
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk.ordinal).toBe(index)
    expect(chunk.text).toBe(text.slice(chunk.start, chunk.end))
    expect(chunk.text.isWellFormed()).toBe(true)
    expect(chunk.text.trim()).not.toBe('')
    expect(chunk.tokens).toBe(real(chunk.text))
    expect(chunk.tokens).toBeLessThanOrEqual(sizes.maxTokens)
    // Nothing is left out but blanks.
    expect(text.slice(covered, chunk.start).trim()).toBe('')
    expect(chunk.end).toBeGreaterThan(covered)
    expect(real(text.slice(chunk.start, covered))).toBeLessThanOrEqual(sizes.overlapTokens)
    covered = chunk.end
  }
  expect(text.slice(covered).trim()).toBe('')
}

/** Of the kinds of text that tokenizers trip over. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\n\n', ' ', '  ', '\t', '. ', '!\n', "'s", "'ll ", '()', '=>', '<|endoftext|>', '\u00a0'),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.toWellFormed()),
      fc.constantFrom(
        'word',
        ' the',
        ' Überraschung',
        '漢字かな交じり文。',
        ' 한국어',
        '👩‍👩‍👧‍👦',
        '🇩🇪🇫🇷',
        'e\u0301',
        '12345',
      ),
      fc
        .tuple(fc.constantFrom('a', '=', ' ', '\n', '字', '👍🏽', 'xy', '-'), fc.nat(700))
        .map(([text, count]) => text.repeat(count)),
    ),
    { maxLength: 120 },
  )
  .map((parts) => parts.join(''))

const anySizes = fc
  .tuple(fc.integer({ min: 64, max: 400 }), fc.integer({ min: 0, max: 100 }))
  .map(([maxTokens, share]) => ({ maxTokens, overlapTokens: Math.floor((maxTokens * share) / 200) }))

const prose = Array.from(
  { length: 400 },
  (_, index) => `Sentence ${index} tells of a harbour, its ships and the weather. It has a second part!`,
)

describe('AST-117 chunks', () => {
  it('cover any text, with every chunk within its size by the real tokenizer', () => {
    fc.assert(
      fc.property(anyText, anySizes, (text, sizes) => expectSound(text, sizes, chunksOf(text, sizes))),
      { numRuns: 300 },
    )
  }, 120_000)

  it('are the same however the text arrives', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, pieceLength) => {
        const long = text.repeat(3) + 'x'.repeat(40_000) + text
        expect(chunksOf(long, automatic, pieceLength * 997)).toEqual(chunksOf(long, automatic))
      }),
      { numRuns: 15 },
    )
  }, 120_000)

  it('are the same with structure, however the text arrives, and stay sound', async () => {
    const parts = [
      '# A\n',
      '## B b\n\n',
      '- item\n',
      '```\ncode();\n```\n',
      '|a|b|\n|-|-|\n',
      '|1|2|\n',
      'Words of it. ',
      '\n\n',
      'T\n---\n',
    ]
    const anyMarkdown = fc.array(fc.tuple(fc.constantFrom(...parts), fc.nat(60)), { maxLength: 30 })
    const property = fc.asyncProperty(
      anyMarkdown,
      fc.integer({ min: 1, max: 90 }),
      anySizes,
      async (list, length, sizes) => {
        const text = list.map(([part, count]) => part.repeat(count)).join('')
        const whole = await markdownChunks(text, sizes, text.length + 1)
        expectSound(text, sizes, whole)
        expect(await markdownChunks(text, sizes, length)).toEqual(whole)
      },
    )
    await fc.assert(property, { numRuns: 100 })
  }, 120_000)

  it('overlap by the tokens asked for', () => {
    const text = prose.join(' ')
    const chunks = chunksOf(text, automatic)
    expectSound(text, automatic, chunks)
    expect(chunks.length).toBeGreaterThan(10)
    for (const [index, { start }] of chunks.entries()) {
      if (index === 0) continue
      const overlap = real(text.slice(start, chunks[index - 1]!.end))
      expect(overlap).toBeGreaterThan(395)
      expect(overlap).toBeLessThanOrEqual(400)
    }
    const apart = chunksOf(text, { maxTokens: 100, overlapTokens: 0 })
    expect(apart.map((chunk) => chunk.text).join('')).toBe(text)
  })

  it('end at the end of a paragraph, else of a sentence, else of a line', () => {
    const sizes = { maxTokens: 100, overlapTokens: 20 }
    const ends = (text: string): string[] =>
      chunksOf(text, sizes)
        .slice(0, -1)
        .map((chunk) => chunk.text.slice(-2))
    expect(new Set(ends(prose.join('\n\n')))).toEqual(new Set(['\n\n']))
    for (const end of ends(prose.join(' '))) expect(end).toMatch(/[.!]$/)
    const lines = prose.map((_, index) => `key${index} = value${index}\n`).join('')
    expect(new Set(ends(lines).map((end) => end.at(-1)))).toEqual(new Set(['\n']))
  })

  it.each([
    ['one letter', 'a'],
    ['letters', 'qwertzuiopasdfghjklyxcvbnm'],
    ['Chinese', '漢字文章天地玄黄宇宙洪荒'],
    ['spaces', ' '],
    ['line ends after a mark', '!\n\n\n\n\n\n\n\n\n\n'],
    ['signs', '=-+*/'],
    ['faces', '👩‍👩‍👧‍👦👍🏽'],
    ['one base letter with marks', '\u0301'],
  ])(
    'stay within their size in a run of %s without an end',
    (_, unit) => {
      const text = `begin${unit.repeat(Math.ceil(120_000 / unit.length))} end`
      const sizes = { maxTokens: 100, overlapTokens: 50 }
      for (const chunk of chunksOf(text, sizes)) {
        expect(chunk.tokens).toBeLessThanOrEqual(100)
        expect(real(chunk.text)).toBe(chunk.tokens)
        expect(chunk.text.isWellFormed()).toBe(true)
      }
    },
    60_000,
  )

  it('refuses sizes that cannot be', () => {
    expect(() => new Chunker({ maxTokens: 100, overlapTokens: 51 }, 'a.txt')).toThrow(RangeError)
    expect(() => new Chunker({ maxTokens: 10, overlapTokens: 0 }, 'a.txt')).toThrow(RangeError)
  })
})

import { expect, it } from 'vitest'
import { textPieces, textWindows } from './text-windows.ts'

it('leaves a short text whole, an empty one too', () => {
  expect(textWindows('')).toEqual([''])
  expect(textWindows('a short text')).toEqual(['a short text'])
})

it('cuts a long text between words, with every word in a window', () => {
  const words = Array.from({ length: 2_000 }, (_, at) => `word${at}`)
  const windows = textWindows(words.join(' '))
  expect(Math.max(...windows.map(({ length }) => length))).toBeLessThanOrEqual(300)
  const seen = new Set(windows.flatMap((window) => window.split(' ')))
  expect(words.filter((word) => !seen.has(word))).toEqual([])
})

it('cuts a text without blanks too', () => {
  const windows = textWindows('x'.repeat(5_000))
  expect(windows.length).toBeGreaterThanOrEqual(17)
  expect(windows.length).toBeLessThan(30)
})

it('judges each sentence of a longer text on its own too, a very short one with the next', () => {
  const sentences = [
    'The garden is full of tulips.',
    'Yes! The grass was cut on Monday, and the bees are busy.',
    'It rained.',
  ]
  const text = `${sentences.join(' ')} And it will rain again tomorrow.`
  const [whole, ...parts] = textPieces(text)
  expect(whole).toBe(text)
  expect(parts).toEqual([...sentences.slice(0, 2), 'It rained. And it will rain again tomorrow.'])
  expect(textPieces('A short text. It has two sentences.')).toHaveLength(1)
})

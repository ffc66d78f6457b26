import { describe, expect, it } from 'vitest'
import { bagOf, readBag, termOf } from './bag.ts'
import { stemOf } from './stem.ts'
import { tokensOf, wordsIn } from './words.ts'

const termsIn = (text: string): string[] =>
  tokensOf(text).flatMap((token) => wordsIn(token).flatMap(({ terms }) => terms))

describe('the words of a text', () => {
  it('are stems, and the forms besides', () => {
    expect(termsIn('Running runs, runner!')).toEqual(['run', '=running', 'run', '=runs', 'runner'])
    const same = (...words: string[]) => new Set(words.map(stemOf)).size
    expect(same('cancel', 'cancelled', 'cancelling', 'cancellation', 'cancels')).toBe(1)
    expect(same('policy', 'policies')).toBe(1)
    expect(same('employ', 'employed', 'employment')).toBe(1)
    expect(same('connection', 'connections', 'connected', 'connecting')).toBe(1)
    expect(same('bias', 'bases')).toBe(2)
    expect(['hopping', 'hoping', 'sky', 'skies', 'generously', 'proceeded'].map(stemOf)).toEqual([
      ...['hop', 'hope', 'sky', 'sky', 'generous', 'proceed'],
    ])
  })

  it('of numbers are their values, and versions and dates count in parts as well', () => {
    expect(termsIn('1,550.00')).toEqual(['1550'])
    expect(termsIn('1550')).toEqual(['1550'])
    expect(termsIn('3.14')).toEqual(['3.14', '3', '14'])
    expect(termsIn('1.24.7')).toEqual(['1.24.7', '1', '24', '7'])
    expect(termsIn('2024-03-15')).toEqual(expect.arrayContaining(['2024', '3', '15', '20240315']))
    expect(termsIn('007')).toEqual(['7', '=007'])
    expect(termsIn('ZX-4021')).toEqual(expect.arrayContaining(['zx', '4021', 'zx4021']))
  })

  it('of names in code are their parts, and the whole however it is written', () => {
    for (const name of ['maxRetryCount', 'max_retry_count', 'max-retry-count', 'MAX_RETRY_COUNT', 'max.retryCount']) {
      expect(termsIn(name)).toEqual(expect.arrayContaining(['max', 'retri', 'count', 'maxretrycount']))
    }
    expect(termsIn('XMLHttpRequest')).toEqual(expect.arrayContaining(['xml', 'http', 'request', 'xmlhttprequest']))
    expect(termsIn('C++ and C#')).toEqual(['c', 'c++', 'and', 'c', 'c#'])
    expect(termsIn('std::vector')).toContain('stdvector')
  })

  it('of other languages are whole, without case and accents; those without spaces count in pairs', () => {
    expect(termsIn('Straße nach Łódź')).toEqual(expect.arrayContaining(['straße', 'łodz']))
    expect(termsIn('entrée')).toContain('=entree')
    expect(termsIn('Привет, мир')).toEqual(['привет', 'мир'])
    expect(termsIn('日本の首都')).toEqual(['日本', '本の', 'の首', '首都'])
    expect(termsIn('don’t company’s')).toEqual(['dont', 'compani', '=company'])
  })

  it('are counted, those of the heading twice, and common ones make no text longer', () => {
    const { length, terms, counts } = readBag(bagOf('The cat and the dog and the cat.', 'Dog care'))
    const count = (word: string) => counts[terms.indexOf(termOf(word))] ?? 0
    expect(length).toBe(5)
    expect(['cat', 'dog', 'care', 'the', 'bird'].map(count)).toEqual([2, 3, 2, 3, 0])
    expect(terms).toEqual(terms.toSorted())
    expect(readBag(bagOf('word '.repeat(1_000), '')).counts[0]).toBe(63)
    expect(readBag(bagOf('', ''))).toMatchObject({ length: 0 })
  })
})

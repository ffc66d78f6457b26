import { describe, expect, it } from 'vitest'
import { editDistance, nearestName } from './nearest-name.ts'

const known = ['temperature', 'top_p', 'messages', 'max_tokens', 'n', 'user']

describe('nearestName', () => {
  it.each([
    ['temprature', 'temperature'],
    ['maxTokens', 'max_tokens'],
    ['max-tokens', 'max_tokens'],
    ['mesage', 'messages'],
    ['MESSAGES', 'messages'],
    ['topp', 'top_p'],
    ['usre', 'user'],
    ['zebra', undefined],
    ['', undefined],
  ])('%s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest)
  })

  it('does not look at names nobody would type', () => {
    expect(nearestName('x'.repeat(100_000), known)).toBe(undefined)
  })

  it('takes the nearest of several', () => {
    expect(nearestName('file_ids', ['file', 'files', 'file_id'])).toBe('file_id')
  })
})

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['a', '', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
    ['abc', 'abc', 0],
  ])('%s to %s', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
  })
})

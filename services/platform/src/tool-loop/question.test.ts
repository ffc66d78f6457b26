import { describe, expect, it } from 'vitest'
import { asksSomething, type Said, searchedQuestion } from './question.ts'

const before: Said[] = [
  { role: 'user', text: 'Which station has a heater?' },
  { role: 'assistant', text: 'The TW-200 has one of 8 watts.' },
]
const after = (text: string): string => searchedQuestion([...before, { role: 'user', text }])

describe('what a run looks for', () => {
  it.each([
    'How long is its warranty?',
    'And the range?',
    'What about the TW-300',
    'Why?',
    'Does it work on solar power?',
  ])('is the question with what it builds on: %s', (text) => {
    expect(after(text)).toBe(`${text}\nWhich station has a heater?\nThe TW-200 has one of 8 watts.`)
  })

  it.each([
    'How many days of paid leave do full-time employees have?',
    'Thanks, that helps!',
    'Write a poem about the sea.',
  ])('is the message alone where it stands for itself: %s', (text) => {
    expect(after(text)).toBe(text)
  })

  it('is the first message as it is, and nothing where nobody has asked', () => {
    expect(searchedQuestion([{ role: 'user', text: 'What is it?' }])).toBe('What is it?')
    expect(searchedQuestion([{ role: 'assistant', text: 'Hello' }])).toBe('')
    expect(searchedQuestion([])).toBe('')
  })

  it.each([
    ['Who is the captain?', true],
    ['Tell me about the warranty.', true],
    ['Hello!', false],
    ['Thanks', false],
    ['Write a poem about the sea.', false],
  ])('tells questions from the rest: %s', (text, asks) => {
    expect(asksSomething(text)).toBe(asks)
  })
})

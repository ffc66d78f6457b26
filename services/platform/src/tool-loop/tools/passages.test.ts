import type { ChatMessage } from '@atoll/models/chat'
import { describe, expect, it } from 'vitest'
import type { Passage } from './hosted-tool.ts'
import { passagesText, withContext } from './passages.ts'
import { roughTokens } from './rough-tokens.ts'

const passage = (text: string, place = 0, fileId = 'file-1'): Passage => ({
  fileId,
  fileName: `${fileId}.txt`,
  text,
  score: 1 - place / 100,
  search: 0,
  place,
})

const filler = (from: number, count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `Chapter ${from + index} tells of rivers, hills and quiet villages.`,
  ).join(' ')

describe('passages for a model', () => {
  it('are numbered, best first, with the names of their files', () => {
    const passages = [passage('Guests pay 6 euros.'), passage('Members pay nothing.', 1, 'file-2')]
    const text = '[3] file-1.txt\nGuests pay 6 euros.\n\n[4] file-2.txt\nMembers pay nothing.'
    expect(passagesText(passages, { query: 'pay', tokens: 500, firstNumber: 3 })).toBe(text)
    expect(passagesText([], { query: 'pay', tokens: 500 })).toBe('')
  })

  it('tell under which headings they stand, unless they begin with them', () => {
    const heading = 'Handbook › Leave'
    const passages = [
      { ...passage('Up to 5 days may be carried over.'), heading },
      { ...passage('## Leave\n\nThere are 27 days.', 1, 'file-2'), heading },
    ]
    const text =
      '[1] file-1.txt › Handbook › Leave\nUp to 5 days may be carried over.\n\n[2] file-2.txt\n## Leave\n\nThere are 27 days.'
    expect(passagesText(passages, { query: 'days', tokens: 500 })).toBe(text)
    const untitled = { ...passage('There are 27 days.', 0, 'leave_rules'), heading: 'leave rules' }
    expect(passagesText([untitled], { query: 'days', tokens: 500 })).toBe('[1] leave_rules.txt\nThere are 27 days.')
  })

  it('stand before the last thing that the user said', () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'What do guests pay?' },
    ]
    const content = '<context>\nGuests pay 6 euros.\n</context>\n\nWhat do guests pay?'
    const given = withContext(messages, ['Guests pay 6 euros.'])
    expect(given).toEqual([...messages.slice(0, 3), { role: 'user', content }])
    expect(withContext(messages, [])).toEqual(messages)
    const shown: ChatMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'And this?' }] }]
    expect(withContext(shown, ['A'])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: '<context>\nA\n</context>' },
          { type: 'text', text: 'And this?' },
        ],
      },
    ])
  })

  it('are few for who can read little, all for who can read much', () => {
    const passages = [
      { ...passage('Guests pay 6 euros.'), score: 0.8 },
      { ...passage('Rooms have keys.', 1), score: 0.3 },
    ]
    expect(passagesText(passages, { query: 'pay', tokens: 800 })).not.toContain('Rooms')
    expect(passagesText(passages, { query: 'pay', tokens: 16_000 })).toContain('Rooms')
  })

  it('are cut to what the model can read, around what was asked', () => {
    const text = `${filler(1, 60)} Guests pay 6 euros an evening. ${filler(61, 60)}`
    const shown = passagesText([passage(text)], { query: 'How much do guests pay?', tokens: 300 })
    expect(shown).toContain('Guests pay 6 euros an evening.')
    expect(roughTokens(shown)).toBeLessThanOrEqual(310)
    expect(roughTokens(shown)).toBeGreaterThan(100)
  })

  it('leave room for the next ones', () => {
    const passages = [filler(1, 100), filler(200, 100), filler(400, 100)].map((text, place) =>
      passage(text, place, `f${place}`),
    )
    const shown = passagesText(passages, { query: 'chapter', tokens: 600 })
    for (const name of ['[1] f0.txt', '[2] f1.txt', '[3] f2.txt']) expect(shown).toContain(name)
    expect(roughTokens(shown)).toBeLessThanOrEqual(620)
  })

  it('of one file are read once where they overlap', () => {
    const shown = passagesText([passage(filler(1, 10)), passage(filler(6, 10), 1)], { query: 'rivers', tokens: 4_000 })
    expect(shown.match(/Chapter 8 /g)).toHaveLength(1)
    expect(shown).toContain('Chapter 15 ')
  })

  it('of one endless line are cut too', () => {
    const shown = passagesText([passage('12345678 '.repeat(5_000))], { query: 'x', tokens: 200 })
    expect(roughTokens(shown)).toBeLessThanOrEqual(210)
    expect(shown.length).toBeGreaterThan(100)
  })
})

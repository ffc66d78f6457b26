import { expect, it } from 'vitest'
import { spokenText } from './spoken-text.ts'

const plain = (text: string): string => spokenText(text).replace(/\s+/g, ' ').trim()

it.each([
  ['It costs $3.50, or €1.', 'It costs three dollars and fifty cents, or one euro.'],
  ['They paid $2.5 million in 1984.', 'They paid two point five million dollars in nineteen eighty four.'],
  ['On 2024-12-25 at 3:05 pm', 'On December twenty fifth, twenty twenty four at three oh five p m'],
  ['It is 15:45, then 9:00.', "It is fifteen forty five, then nine o'clock."],
  ['March 3rd, 2001', 'March third, two thousand one'],
  [
    '1,234,567 people and 45% more',
    'one million two hundred thirty four thousand five hundred sixty seven people and forty five percent more',
  ],
  [
    'It is -5 °C, 1 km away, at 60 mph.',
    'It is minus five degrees Celsius, one kilometer away, at sixty miles per hour.',
  ],
  ['the 21st, pi is 3.14', 'the twenty first, pi is three point one four'],
  ['Dr. Smith vs. Mr. Jones, e.g. here', 'Doctor Smith versus Mister Jones, for example here'],
  ['See https://www.example.com/docs/a-b.', 'See example dot com slash docs slash a dash b.'],
  ['Write to jo.doe@example.org!', 'Write to jo dot doe at example dot org!'],
  ['Call 5551234567.', 'Call five five five one two three four five six seven.'],
  ['# Title\n- **bold** and `code`', 'Title bold and code'],
  ['Salt & pepper – “naïve” café', 'Salt and pepper, "naive" cafe'],
  ['I have 2 cats.', 'I have two cats.'],
])('%j is read as %j', (text, spoken) => {
  expect(plain(text)).toBe(spoken)
})

it('gets through texts that were made to be hard', () => {
  for (const hard of [
    '1,'.repeat(2_000),
    '['.repeat(4_000),
    'a.'.repeat(2_000),
    '*'.repeat(4_000),
    '1:'.repeat(2_000),
  ]) {
    expect(spokenText(hard).length).toBeGreaterThan(0)
  }
})

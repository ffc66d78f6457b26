import { expect, it } from 'vitest'
import { SourceNumbers } from './source-numbers.ts'

const written = (text: string) => new SourceNumbers(text).written

it('reads amounts whatever separates their thousands and their decimals', () => {
  expect(written('1,550.00 EUR')).toEqual(['1550.00', '1550'])
  expect(written('1.550,50 EUR')).toEqual(['1550.50', '1550.5'])
  expect(written('2,300 people')).toEqual(['2300'])
  expect(written('7,5 litres')).toEqual(['7.5'])
  expect(written('hive 13, 23.4 kg.')).toEqual(['13', '23.4'])
  expect(written('on 3.10.2026')).toEqual(['3', '10', '2026'])
  expect(written('at 10.0.0.17')).toEqual(['10', '0', '17'])
  expect(written(Array.from({ length: 5000 }, (_, at) => at).join('.'))).toEqual([])
})

it('counts how often the source has a number, however it is written', () => {
  const numbers = new SourceNumbers('2 adults and 2 children for 1,000.00 euros of 1000')
  expect([2, 1000, 7].map((value) => numbers.timesOf(value))).toEqual([2, 2, 0])
})

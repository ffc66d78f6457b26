import { expect, it } from 'vitest'
import { TextCircles } from './text-circles.ts'

/** What should follow each letter, as far as anything should: the mark, and behind how many letters. */
function closed(text: string): [mark: string, after: number][] {
  const circles = new TextCircles()
  return [...text].flatMap((letter, at) => {
    const mark = circles.after(letter.charCodeAt(0), Buffer.from(letter))
    return mark === undefined ? [] : [[mark, at + 1] as [string, number]]
  })
}
const row = 'k'.repeat(49)

it('closes a value and a name that go in circles, as an answer in words would end', () => {
  expect(closed(`{"a":"${row}`)).toEqual([['"', 6 + 49]])
  expect(closed(`{"a":"${row.slice(1)}`)).toEqual([])
  expect(closed(`{"${row}`)).toEqual([['"', 2 + 49]])
  expect(closed(`<call>{"name": "note", "arguments": {"a": "${row}`)).toHaveLength(1)
})

it('judges each text by itself: what several have in common is no circle', () => {
  expect(closed(`{"a":[${'"kkkk",'.repeat(40)}`)).toEqual([])
  expect(closed(`{"a":"${row.slice(1)}","b":"${row.slice(1)}"}`)).toEqual([])
})

it('waits for the end of an escape, where a quote would be a letter', () => {
  const begun = `{"a":"${'\\n'.repeat(27)}`
  const marks = closed(begun)
  expect(marks.length).toBeGreaterThan(0)
  for (const [mark, after] of marks) {
    expect(mark).toBe('"')
    expect(() => JSON.parse(`${begun.slice(0, after)}"}`)).not.toThrow()
  }
})

it('closes the list that such a text stands in, and nothing around it', () => {
  expect(closed(`[{"a":["${row}"]}, {`)).toEqual([
    ['"', 8 + 49],
    [']', 9 + 49],
  ])
  expect(closed(`[{"a":"${row}"}, {`)).toHaveLength(1)
})

it('lets a long text be', () => {
  const letter = Array.from({ length: 400 }, (_, n) => `Sentence ${n} says ${(n * n) % 97}.`).join(' ')
  expect(closed(`{"a":"${letter}"}`)).toEqual([])
})

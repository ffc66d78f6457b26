import { expect, it } from 'vitest'
import { JsonPlace, type OpenValue } from './json-place.ts'

function places(text: string): (OpenValue | undefined)[] {
  const place = new JsonPlace()
  return [...text].map((byte) => {
    place.push(byte)
    return place.value && { ...place.value }
  })
}

/** Where text ends, what is open. */
const open = (text: string) => places(text).at(-1)

it('knows what of a value is written, and does not take names of fields for values', () => {
  expect(open('{"na')).toBeUndefined()
  expect(open('{"name": "Anna Mar')).toEqual({ kind: 'text', written: 'Anna Mar' })
  expect(open('{"name": "Anna", "ye')).toBeUndefined()
  expect(open('{"name": "Anna", "year": 19')).toEqual({ kind: 'number', written: '19' })
  expect(open('{"names": ["Anna", "Be')).toEqual({ kind: 'text', written: 'Be' })
  expect(open('{"a": -1.5')).toEqual({ kind: 'number', written: '-1.5' })
  expect(open('{"a": true, "b": nul')).toBeUndefined()
})

it('is not led astray by quotes and braces within a text', () => {
  expect(open('{"a": "say \\"{no}\\" an')).toEqual({ kind: 'text', written: 'say \\"{no}\\" an' })
  expect(open('{"a": "\\\\", "b')).toBeUndefined()
})

it('finds the values of a call behind its mark', () => {
  expect(open('<tool_call>\n{"name": "pay", "arguments": {"sum": 1')).toEqual({ kind: 'number', written: '1' })
  expect(open('[TOOL_CALLS]get2')).toBeUndefined()
})

it('knows what the other fields of the same object have, and where a value is due', () => {
  const place = new JsonPlace()
  place.push('{"a": 13, "b": {"c": "Anna", "d": ')
  expect(place.expectsValue).toBe(true)
  expect(place.timesGiven(13)).toBe(0)
  place.push('4}, "e"')
  expect(place.expectsValue).toBe(false)
  expect(place.timesGiven(13)).toBe(1)
  place.push(': "13", "f": 13.0')
  expect(place.timesGiven(13)).toBe(2)
  place.push(', "g": "", "h": "Anna", "i": ')
  expect([13, 0, 4].map((number) => place.timesGiven(number))).toEqual([3, 0, 0])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultBounds, JsonInvalid, JsonRefused } from './bounds.ts'
import { JsonReader } from './json-reader.ts'

function read(bytes: Buffer, pieceBytes: number, bounds = defaultBounds): unknown {
  const reader = new JsonReader(bounds)
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes))
  return reader.end()
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch {
    return 'refused'
  }
}

const odd = [
  '"\\ud83d\\ude00 \\u00e9 \\" \\\\ \\/ \\b\\f\\n\\r\\t é 😀 ÿ"',
  '{"__proto__":1,"constructor":2,"a":{"__proto__":{"b":[]}}}',
  '{"a":1,"a":2}',
  '[-0, 0, -1.5e+10, 1E400, 123456789012345678901234567890, 0.1]',
  ' \n\t\r[ ] ',
  '[{},[],"",null,true,false]',
  '"\\ud800"',
]
const wrong = [
  '[1,]',
  '[,1]',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{1:2}',
  '[1 2]',
  '01',
  '1.',
  '-',
  '+1',
  '.5',
  '1e',
  'nul',
  'True',
  'NaN',
  'tru e',
  '"\u0001"',
  '"\t"',
  '"\\x"',
  '"\\u12"',
  '"open',
  '[',
  '{',
  ']',
  '}',
  '[}',
  '{]',
  '[1}',
  '1 2',
  '"a" "b"',
  ':',
  ',',
  '{"a":1 "b":2}',
  '{"a":1]',
  '\ufeff1',
  '[1]]',
  '"a"x',
  '{"a"',
  '{"a":',
  '/**/1',
  "'a'",
  '--1',
  '1-1',
  '1.2.3',
  'truefalse',
]

describe('the JSON reader', () => {
  it.each([...odd, ...wrong])('reads %j as JSON.parse does, wherever it is cut', (text) => {
    const bytes = Buffer.from(text)
    const expected = outcome(() => JSON.parse(text))
    for (let size = 1; size <= bytes.length; size++) expect(outcome(() => read(bytes, size))).toStrictEqual(expected)
  })

  it('reads whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        (value, size, isWide) => {
          const text = JSON.stringify(value, null, isWide ? 2 : 0)
          if (text.includes('\\u0000')) return
          expect(read(Buffer.from(text), size)).toStrictEqual(JSON.parse(text))
        },
      ),
    )
  })

  it('judges any bytes as JSON.parse does', () => {
    const letters = fc.constantFrom(...'[]{},:"\\ \n0123456789-+.eEtrufalsn/é')
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (given, size) => {
        const text = given.join('')
        const expected = text.trim() === '' ? { value: undefined } : outcome(() => JSON.parse(text))
        expect(outcome(() => read(Buffer.from(text), size))).toStrictEqual(expected)
      }),
      { numRuns: process.env.ATOLL_TEST_LONG === '1' ? 20_000 : 5_000 },
    )
  })

  it('refuses bytes that are no UTF-8, wherever they are cut', () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0x80], [0xc0, 0x80]]) {
      const body = Buffer.concat([Buffer.from('["a'), Buffer.from(bytes), Buffer.from('"]')])
      for (let size = 1; size <= body.length; size++) expect(() => read(body, size)).toThrow(JsonInvalid)
    }
  })

  it('refuses at the byte that breaks a bound', () => {
    const bounds = { maxDepth: 3, maxValues: 5, maxNumbers: 4, maxKeys: 2 }
    const refused = (text: string) => {
      const reader = new JsonReader(bounds)
      for (const letter of text.slice(0, -1)) reader.push(Buffer.from(letter))
      expect(() => reader.push(Buffer.from(text.slice(-1)))).toThrow(JsonRefused)
    }
    refused('[[[[')
    refused('[{},{},{},{},{')
    refused('[1,2,3,4,5,')
    refused('{"a":1,"b":2,"c"')
  })

  it('tells where a NUL is', () => {
    const path = (text: string) => {
      const reader = new JsonReader(defaultBounds)
      for (const letter of text) reader.push(Buffer.from(letter))
      reader.end()
      return reader.nulPath
    }
    expect(path('{"a":[0,{"b":"x\\u0000"}]}')).toStrictEqual(['a', 1, 'b'])
    expect(path('{"a":{"b\\u0000":1}}')).toStrictEqual(['a'])
    expect(path('"\\u0000"')).toStrictEqual([])
    expect(path('"\\\\u0000"')).toBeUndefined()
  })
})

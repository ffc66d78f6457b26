import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemaGrammar } from '../json-schema.ts'
import { GbnfSampler } from '../testing/gbnf-sampler.ts'
import { parseGrammar } from '../testing/llama-addon.ts'
import { formatPatterns } from './formats.ts'
import { TextPatterns } from './text-patterns.ts'

const place = { param: 'schema', subject: "response_format 'x'", strictParam: 'schema', strict: false }
const ajv = new Ajv()
ajvFormats.default(ajv)

const samples: Record<string, string[]> = {
  date: ['2024-02-29', '2000-02-29', '1999-12-31'],
  time: ['10:20:30Z', '23:59:59.123+02:00'],
  'date-time': ['2024-02-29T10:20:30.5Z', '2024-11-30T00:00:00-05:30'],
  duration: ['P1DT2H', 'P3W', 'PT5M'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000'],
  email: ['jane.doe+news@mail.example.com'],
  hostname: ['localhost', 'a-1.example.co.uk'],
  ipv4: ['192.168.0.1', '255.255.255.255'],
  ipv6: ['::1', '2001:db8::8a2e:370:7334', 'fe80:0:0:0:0:0:0:1'],
  uri: ['https://example.com:8080/a/b%20c?x=1#top', 'ftp://host'],
  'json-pointer': ['', '/a/b~1c'],
}
const wrong: Record<string, string[]> = {
  date: ['2023-02-29', '1900-02-29', '2024-04-31', '2024-13-01'],
  time: ['24:00:00Z', '10:20:30'],
  ipv4: ['256.1.1.1', '1.2.3', '01.2.3.4'],
  ipv6: ['1::2::3', '1:2:3:4:5:6:7:8:9'],
  hostname: ['-a.b', 'a..b'],
  email: ['a@b', '@b.c'],
}

describe('formats', () => {
  it.each(Object.keys(formatPatterns))('INF-058 allow texts of the format only: %s', (format) => {
    const grammar = schemaGrammar({ type: 'string', format }, place)
    const llama = parseGrammar(grammar)
    const sampler = new GbnfSampler(grammar)
    const validate = ajv.compile({ type: 'string', format })
    for (let round = 0; round < 150; round += 1) {
      const text = sampler.sample(Math.random, round % 80)
      expect(validate(JSON.parse(text)), text).toBe(true)
    }
    for (const text of samples[format] ?? []) expect(llama.isTextCompatible(JSON.stringify(text)), text).toBe(true)
    for (const text of wrong[format] ?? []) expect(llama.isTextCompatible(JSON.stringify(text)), text).toBe(false)
  })
})

describe('patterns', () => {
  const letters = fc.constantFrom('a', 'b', 'c', '.', '1', '-', ' ', '\n', 'ü', '😀', '"', '\\')
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\.',
    '[a-c]',
    '[^a]',
    '\\d',
    '\\w',
    '\\S',
    '[\\d-]',
    'ü',
    '\\u{1F600}',
    '"',
    '\\\\',
    '[^\\s"]',
  )
  const { pattern } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
    group: fc.oneof({ maxDepth: 3 }, atom, fc.tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '{2,}', '*?')).map(([inner, count]) => `(?:${inner})${count}`)),
    pattern: fc.oneof({ maxDepth: 3 }, fc.array(tie('group'), { maxLength: 3 }).map((parts) => parts.join('')), fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `${left}|${right}`)),
  })) // biome-ignore format: a grammar

  it('INF-058 match what a regular expression matches', () => {
    const wrapped = fc
      .tuple(pattern, fc.boolean(), fc.boolean())
      .map(([inner, start, end]) => `${start ? '^' : ''}(${inner})${end ? '$' : ''}`)
    const text = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(wrapped, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const patterns = new TextPatterns()
        for (const one of texts) expect(patterns.matches(source, one), one).toBe(new RegExp(source, 'u').test(one))
      }),
      { numRuns: 500 },
    )
  })

  it('do not hang on patterns that would keep a backtracking engine busy', () => {
    expect(new TextPatterns().matches('^(a+)+$', `${'a'.repeat(5_000)}!`)).toBe(false)
  })
})

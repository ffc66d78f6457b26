import { describe, expect, it } from 'vitest'
import { type ZodType, z } from 'zod'
import type { Issue } from '../error.ts'
import { bestIssue } from './issues.ts'
import { issuesOf } from './validation.ts'

function issueOf(schema: ZodType, value: unknown): Issue {
  const result = schema.safeParse(value)
  if (result.success) throw new Error('The value is valid')
  return bestIssue(issuesOf(schema, value), { schema, value, place: 'body' })
}

const Url = z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() })
const Part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: Url }),
])
const Content = z.union([z.string(), z.array(Part)])
const Chat = z.strictObject({
  model: z.string(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'system']), content: Content.nullable() })).min(1),
  temperature: z.number().min(0).max(2).nullish(),
  n: z.int().min(1).max(128).optional(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(4)]).optional(),
  metadata: z.record(z.string().max(5), z.string().max(8)).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  user: z.string().max(10).optional(),
})
const chat = (rest: object) => ({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...rest })
const content = (value: unknown) => ({ model: 'm', messages: [{ role: 'user', content: value }] })

const tagged = z.union([
  z.strictObject({ type: z.literal('a'), x: z.string() }),
  z.strictObject({ type: z.literal('b'), y: z.object({ deep: z.number() }) }),
])

/** The tag's value of the outer branch is none of the inner union's. */
const Filter = z.discriminatedUnion('type', [
  z.discriminatedUnion('type', [z.strictObject({ type: z.enum(['eq', 'ne']), key: z.string() })]),
  z.strictObject({ type: z.enum(['and', 'or']), filters: z.array(Url) }),
])

const Tokens = z
  .custom()
  .superRefine((input, context) => context.addIssue({ code: 'invalid_type', expected: 'string', input, path: [] }))
  .meta({ expects: 'a string, or an array of tokens' })

type Row = [name: string, schema: ZodType, value: unknown, issue: Partial<Issue>]

const table: Row[] = [
  ['missing', Chat, { messages: [] }, { kind: 'missing', param: 'model', expected: 'a string' }],
  ['missing whole', z.object({}), undefined, { kind: 'missing', param: null, expected: 'an object' }],
  ['missing enum', z.object({ a: z.enum(['x']) }), {}, { kind: 'missing', param: 'a' }],
  ['missing union', z.object({ a: Content }), {}, { kind: 'missing', param: 'a' }],
  [
    'null is not missing',
    Chat,
    chat({ model: null }),
    { kind: 'type', param: 'model', expected: 'a string', received: 'null' },
  ],
  ['whole of a wrong type', Chat, [1], { kind: 'type', param: null, expected: 'an object', received: 'an array' }],
  ['boolean', Chat, chat({ user: true }), { kind: 'type', param: 'user', received: 'a boolean' }],
  ['array for a string', Chat, chat({ user: [] }), { kind: 'type', received: 'an empty array' }],
  ['string for an integer', Chat, chat({ n: '1' }), { kind: 'type', expected: 'an integer', received: 'a string' }],
  [
    'decimal for an integer',
    Chat,
    chat({ n: 1.5 }),
    { kind: 'type', expected: 'an integer', received: 'a decimal number' },
  ],
  [
    'string for a number',
    Chat,
    chat({ temperature: '1' }),
    { kind: 'type', expected: 'a number', received: 'a string' },
  ],
  [
    'overflow',
    Chat,
    chat({ temperature: Number.POSITIVE_INFINITY }),
    { kind: 'type', received: 'a number out of range' },
  ],
  [
    'text in the place of a number of an address',
    z.object({ uid: z.coerce.number().int() }),
    { uid: 'abc' },
    { kind: 'type', expected: 'an integer', received: 'no number' },
  ],
  [
    'what a schema says of itself',
    z.object({ input: Tokens }),
    { input: 5 },
    { kind: 'type', expected: 'a string, or an array of tokens', received: 'an integer' },
  ],
  [
    'array of objects',
    z.object({ m: z.array(Url) }),
    { m: {} },
    { kind: 'type', expected: 'an array of objects', received: 'an object' },
  ],
  ['array of strings', z.object({ m: z.array(z.string()) }), { m: 5 }, { expected: 'an array of strings' }],
  [
    'a branch beside a union of strict objects',
    z.object({ filters: Filter }),
    { filters: { type: 'and', filters: 'x' } },
    { kind: 'type', param: 'filters.filters', expected: 'an array of objects', received: 'a string' },
  ],
  ['array of a union', z.object({ m: z.array(Content) }), { m: 5 }, { expected: 'an array' }],
  [
    'array of arrays',
    z.object({ m: z.array(z.array(z.int())) }),
    { m: 5 },
    { expected: 'an array of arrays of integers' },
  ],
  [
    'union, no branch of the right type',
    Chat,
    content(5),
    {
      kind: 'type',
      param: 'messages[0].content',
      expected: 'one of a string or array of objects',
      received: 'an integer',
    },
  ],
  [
    'union within an array',
    Chat,
    content([5]),
    { kind: 'type', param: 'messages[0].content[0]', expected: 'an object' },
  ],
  [
    'union, deepest branch',
    Chat,
    content([
      { type: 'text', text: '' },
      { type: 'image_url', image_url: { url: 5 } },
    ]),
    { kind: 'type', param: 'messages[0].content[1].image_url.url', expected: 'a string', received: 'an integer' },
  ],
  [
    'union, a branch that stands for several tags',
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.enum(['eq', 'ne']), value: z.union([z.string(), z.boolean()]) }),
      z.strictObject({ type: z.enum(['gt', 'lt']), value: z.union([z.string(), z.number()]) }),
    ]),
    { type: 'lt', value: true },
    { kind: 'type', param: 'value', expected: 'one of a string or number', received: 'a boolean' },
  ],
  [
    'missing deep',
    Chat,
    content([{ type: 'image_url', image_url: {} }]),
    { kind: 'missing', param: 'messages[0].content[0].image_url.url' },
  ],
  [
    'enum deep',
    Chat,
    content([{ type: 'image_url', image_url: { url: '', detail: 'x' } }]),
    { kind: 'value', param: 'messages[0].content[0].image_url.detail', supported: ['auto', 'low', 'high'] },
  ],
  [
    'discriminator',
    Chat,
    content([{ type: 'video' }]),
    { kind: 'value', param: 'messages[0].content[0].type', supported: ['text', 'image_url'], received: "'video'" },
  ],
  ['discriminator missing', Chat, content([{}]), { kind: 'missing', param: 'messages[0].content[0].type' }],
  [
    'discriminator of a wrong type',
    Chat,
    content([{ type: 5 }]),
    { kind: 'type', param: 'messages[0].content[0].type' },
  ],
  [
    'unknown deep',
    Chat,
    content([{ type: 'image_url', image_url: { url: '', detial: 'x' } }]),
    {
      kind: 'unknown',
      param: 'messages[0].content[0].image_url.detial',
      unknown: [
        { name: 'messages[0].content[0].image_url.detial', nearest: 'messages[0].content[0].image_url.detail' },
      ],
    },
  ],
  [
    'unknown, all listed',
    Chat,
    chat({ temprature: 1, zebra: 2 }),
    {
      kind: 'unknown',
      param: 'temprature',
      unknown: [{ name: 'temprature', nearest: 'temperature' }, { name: 'zebra' }],
    },
  ],
  [
    'unknown prototype',
    Chat,
    JSON.parse('{"model":"m","messages":[{"role":"user","content":""}],"__proto__":{}}'),
    { kind: 'unknown', param: '__proto__' },
  ],
  [
    'a typo explains what is missing',
    Chat,
    { model: 'm', mesages: [] },
    { kind: 'unknown', param: 'mesages', unknown: [{ name: 'mesages', nearest: 'messages' }] },
  ],
  ['other unknown names do not', Chat, { model: 'm', zebra: 1 }, { kind: 'missing', param: 'messages' }],
  [
    'enum',
    Chat,
    { model: 'm', messages: [{ role: 'robot', content: '' }] },
    { kind: 'value', param: 'messages[0].role', supported: ['user', 'system'], received: "'robot'" },
  ],
  [
    'enum of a wrong type',
    Chat,
    { model: 'm', messages: [{ role: 5, content: '' }] },
    { kind: 'type', param: 'messages[0].role', expected: 'a string', received: 'an integer' },
  ],
  [
    'enum in a union',
    Chat,
    chat({ tool_choice: 'nope' }),
    { kind: 'value', param: 'tool_choice', supported: ['none', 'auto'] },
  ],
  [
    'object in a union',
    Chat,
    chat({ tool_choice: { type: 'function', function: {} } }),
    { kind: 'missing', param: 'tool_choice.function.name' },
  ],
  [
    'tag in a union',
    Chat,
    chat({ tool_choice: { type: 'tool' } }),
    { kind: 'value', param: 'tool_choice.type', supported: ['function'] },
  ],
  [
    'neither in a union',
    Chat,
    chat({ tool_choice: 5 }),
    { kind: 'type', param: 'tool_choice', expected: 'one of a string or object' },
  ],
  [
    'too many in a union',
    Chat,
    chat({ stop: ['1', '2', '3', '4', '5'] }),
    { kind: 'too_big', param: 'stop', bound: { of: 'array', limit: 4, inclusive: true, actual: 5 } },
  ],
  ['item in a union', Chat, chat({ stop: ['1', 2] }), { kind: 'type', param: 'stop[1]', expected: 'a string' }],
  ['tagged plain union', tagged, { type: 'b', y: { deep: 'x' } }, { kind: 'type', param: 'y.deep' }],
  ['tagged plain union, other branch', tagged, { type: 'a', x: 1 }, { kind: 'type', param: 'x' }],
  ['tagged plain union, unknown tag', tagged, { type: 'c' }, { kind: 'value', param: 'type', supported: ['a', 'b'] }],
  ['literals', z.union([z.literal('a'), z.literal('b')]), 'c', { kind: 'value', param: null, supported: ['a', 'b'] }],
  [
    'number above',
    Chat,
    chat({ temperature: 200 }),
    { kind: 'too_big', param: 'temperature', bound: { of: 'decimal', limit: 2, inclusive: true, actual: 200 } },
  ],
  [
    'number below',
    Chat,
    chat({ temperature: -1 }),
    { kind: 'too_small', param: 'temperature', bound: { of: 'decimal', limit: 0, inclusive: true, actual: -1 } },
  ],
  [
    'integer above',
    Chat,
    chat({ n: 129 }),
    { kind: 'too_big', bound: { of: 'integer', limit: 128, inclusive: true, actual: 129 } },
  ],
  [
    'integer far above',
    Chat,
    chat({ n: 1e30 }),
    { kind: 'too_big', bound: { of: 'integer', limit: 128, inclusive: true, actual: 1e30 } },
  ],
  [
    'exclusive',
    z.object({ a: z.number().gt(0) }),
    { a: 0 },
    { kind: 'too_small', bound: { of: 'decimal', limit: 0, inclusive: false, actual: 0 } },
  ],
  [
    'string too long',
    Chat,
    chat({ user: 'x'.repeat(11) }),
    { kind: 'too_big', bound: { of: 'string', limit: 10, inclusive: true, actual: 11 } },
  ],
  [
    'array empty',
    Chat,
    { model: 'm', messages: [] },
    { kind: 'too_small', param: 'messages', bound: { of: 'array', limit: 1, inclusive: true, actual: 0 } },
  ],
  [
    'record value',
    Chat,
    chat({ metadata: { key: 'x'.repeat(9) } }),
    { kind: 'too_big', param: 'metadata.key', bound: { of: 'string', limit: 8, inclusive: true, actual: 9 } },
  ],
  [
    'record value type',
    Chat,
    chat({ metadata: { key: 5 } }),
    { kind: 'type', param: 'metadata.key', expected: 'a string' },
  ],
  [
    'record key',
    Chat,
    chat({ metadata: { 'long.key': '' } }),
    { kind: 'too_big', param: 'metadata["long.key"]', bound: { of: 'string', limit: 5, inclusive: true, actual: 8 } },
  ],
  ['format', z.object({ u: z.url() }), { u: 'x' }, { kind: 'format', param: 'u', message: 'Invalid URL.' }],
  [
    'pattern',
    z.object({ u: z.string().regex(/^a/, 'Must start with a') }),
    { u: 'x' },
    { kind: 'format', message: 'Must start with a.' },
  ],
  [
    'refinement',
    z.object({ u: z.string().refine(() => false, 'Is never right') }),
    { u: 'x' },
    { kind: 'other', param: 'u', message: 'Is never right.' },
  ],
  ['multiple', z.object({ n: z.int().multipleOf(5) }), { n: 7 }, { kind: 'other', param: 'n' }],
  [
    'lazy',
    z.object({ a: z.lazy(() => z.array(z.string())) }),
    { a: [5] },
    { kind: 'type', param: 'a[0]', expected: 'a string' },
  ],
  ['default', z.object({ a: z.string().default('x') }), { a: 5 }, { kind: 'type', param: 'a', expected: 'a string' }],
  [
    'tuple',
    z.object({ a: z.tuple([z.string(), z.int()]) }),
    { a: ['x', 'y'] },
    { kind: 'type', param: 'a[1]', expected: 'an integer' },
  ],
  [
    'preprocessed',
    z.object({ a: z.preprocess((x) => x, z.int()) }),
    { a: 'x' },
    { kind: 'type', param: 'a', expected: 'an integer' },
  ],
]

describe('the best issue', () => {
  it.each(table)('%s', (_name, schema, value, issue) => {
    const found = issueOf(schema, value)
    expect(found).toMatchObject(issue)
    expect(found.place).toBe('body')
    expect(found.message).toMatch(/^[A-Z].*[.)?!]$/s)
  })

  it('reads as a sentence', () => {
    const sentences = [
      issueOf(Chat, { messages: [] }),
      issueOf(Chat, content(5)),
      issueOf(Chat, chat({ tool_choice: 'nope' })),
      issueOf(Chat, chat({ temprature: 1, zebra: 2 })),
      issueOf(Chat, chat({ n: 129 })),
    ].map(({ message }) => message)
    expect(sentences).toEqual([
      "Missing required parameter: 'model'.",
      "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an integer instead.",
      "Invalid value: 'nope'. Supported values are: 'none' and 'auto'.",
      "Unknown parameters: 'temprature' (did you mean 'temperature'?) and 'zebra'.",
      "Invalid 'n': expected <= 128, but got 129.",
    ])
  })

  it('never shows more than a little of a long value', () => {
    const { message } = issueOf(Chat, chat({ tool_choice: 'x'.repeat(10_000) }))
    expect(message.length).toBeLessThan(200)
  })

  it('tells of a few unknown names only, however many there are', () => {
    const names = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`name${index}`, 1]))
    expect(issueOf(Chat, chat(names)).unknown).toHaveLength(20)
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { booleanParam, integerParam, integerParamOr, listParam, pageQuery, stringsParam } from './query.ts'
import { parseQuery } from './routing/query-string.ts'
import { sampleErrors } from './testing/sample-service.ts'
import { bestIssue } from './validation/issues.ts'
import { issuesOf } from './validation/validation.ts'

const parse = (text: string) => JSON.parse(JSON.stringify(parseQuery(text, sampleErrors)))

describe('parseQuery', () => {
  it.each<[string, object]>([
    ['', {}],
    ['a=1', { a: '1' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a[]=1', { a: ['1'] }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a[0]=1&a[1]=2', { a: ['1', '2'] }],
    ['a%5B%5D=1', { a: ['1'] }],
    ['t[gt]=5&t[lt]=9', { t: { gt: '5', lt: '9' } }],
    ['a=b+c%20d', { a: 'b c d' }],
    ['a=1=2', { a: '1=2' }],
    ['&&a=1&', { a: '1' }],
    ['a[b][c]=1', { 'a[b][c]': '1' }],
    ['%E2%9C%93=%F0%9F%8F%9D', { '✓': '🏝' }],
  ])('%s', (text, query) => {
    expect(parse(text)).toEqual(query)
  })

  it('does not touch prototypes', () => {
    const query = parseQuery('__proto__[x]=1&constructor=2', sampleErrors)
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor'])
    expect(({} as { x?: string }).x).toBe(undefined)
  })

  it.each(['%', 'a=%zz', 'a=%ff', 'a=1&a[b]=2', 'a[b]=1&a=2', 'x&'.repeat(101), `a=${'x'.repeat(17_000)}`])(
    'refuses %.20s',
    (text) => {
      expect(() => parseQuery(text, sampleErrors)).toThrow(expect.objectContaining({ status: 400 }))
    },
  )
})

const schema = pageQuery({ maxLimit: 100, defaultLimit: 20 }).extend({
  start: integerParam({ min: 0, max: 10 }),
  width: integerParamOr(5, { min: 0, max: 10 }),
  all: booleanParam(),
  kinds: stringsParam(z.enum(['a', 'b'])),
  names: listParam(z.enum(['x', 'y'])),
})

const issueOf = (text: string) => {
  const value = parseQuery(text, sampleErrors)
  const result = schema.safeParse(value)
  if (result.success) throw new Error('The query is valid')
  return bestIssue(issuesOf(schema, value), { schema, value, place: 'query' })
}

describe('query schemas', () => {
  it('turn text into values', () => {
    expect(schema.parse(parseQuery('', sampleErrors))).toEqual({ limit: 20, order: 'desc', width: 5 })
    const text = 'after=x&limit=100&order=asc&start=0&width=7&all=true&kinds=a'
    const values = { after: 'x', limit: 100, order: 'asc', start: 0, width: 7, all: true, kinds: ['a'] }
    expect(schema.parse(parseQuery(text, sampleErrors))).toEqual(values)
    expect(schema.parse(parseQuery('kinds[]=a&kinds[]=b&all=0', sampleErrors))).toMatchObject({
      kinds: ['a', 'b'],
      all: false,
    })
  })

  it.each(['names=x,y', 'names=x&names=y', 'names[]=x&names[]=y', 'names%5B%5D=x%2Cy', 'names[0]=x&names[1]=y'])(
    'read the list %s',
    (text) => {
      expect(schema.parse(parseQuery(text, sampleErrors)).names).toEqual(['x', 'y'])
    },
  )

  it.each<[string, object]>([
    [
      'limit=101',
      { kind: 'too_big', param: 'limit', bound: { of: 'integer', limit: 100, inclusive: true, actual: 101 } },
    ],
    ['limit=0', { kind: 'too_small', param: 'limit', bound: { of: 'integer', limit: 1, actual: 0 } }],
    ['limit=-5', { kind: 'too_small', param: 'limit' }],
    [`limit=${'9'.repeat(400)}`, { kind: 'too_big', param: 'limit', bound: { limit: 100 } }],
    ['limit=ten', { kind: 'type', param: 'limit', expected: 'an integer', received: 'a string' }],
    ['limit=1.5', { kind: 'type', param: 'limit', expected: 'an integer' }],
    ['limit=', { kind: 'type', param: 'limit' }],
    ['limit=1&limit=2', { kind: 'type', param: 'limit', received: 'an array' }],
    ['order=up', { kind: 'value', param: 'order', supported: ['asc', 'desc'] }],
    ['all=maybe', { kind: 'type', param: 'all', expected: 'a boolean' }],
    ['kinds=c', { kind: 'value', param: 'kinds[0]', supported: ['a', 'b'] }],
    ['names=x,z', { kind: 'value', param: 'names[1]', supported: ['x', 'y'] }],
    ['names=x,', { kind: 'value', param: 'names[1]' }],
    ['names[a]=x', { kind: 'type', param: 'names' }],
    ['limt=1', { kind: 'unknown', param: 'limt', unknown: [{ name: 'limt', nearest: 'limit' }] }],
    ['after=', { kind: 'too_small', param: 'after' }],
  ])('%.20s', (text, issue) => {
    expect(issueOf(text)).toMatchObject({ place: 'query', ...issue })
  })
})

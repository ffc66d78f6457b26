import { describe, expect, it } from 'vitest'
import { readCredentials } from './credentials.ts'
import { IdentityProblem } from './problems.ts'

const secretOf = (authorization: string): string => readCredentials({ authorization }).secret
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

function problemOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (error instanceof IdentityProblem) return error.detail
    throw error
  }
  return undefined
}

describe('the key of a request', () => {
  it('is the bearer token, however the scheme is spelled', () => {
    expect(secretOf('Bearer sk-one')).toBe('sk-one')
    expect(secretOf('bearer   sk-one')).toBe('sk-one')
    expect(secretOf('BEARER sk-one')).toBe('sk-one')
  })

  it('may be the password of Basic auth, with any user name', () => {
    expect(secretOf(basic(':sk-one'))).toBe('sk-one')
    expect(secretOf(basic('someone:sk-one'))).toBe('sk-one')
    expect(secretOf(basic('someone:with:colons'))).toBe('with:colons')
  })

  it.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['an empty bearer token', { authorization: 'Bearer ' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['an empty password', { authorization: basic('someone:') }],
    ['empty Basic', { authorization: 'Basic ' }],
  ])('is missing with %s', (_, headers) => {
    expect(problemOf(() => readCredentials(headers))).toEqual({ kind: 'no_key' })
  })

  it.each([
    ['sk-proj-abcdefghijklmnopqrstuvwxyz', 'sk-proj-ab***yz'],
    ['Token abcdefghijklmnopqrstuvwxyz', 'To***yz'],
    ['Basic !!!!', '***'],
    [basic('no colon in here'), 'bm***==' /* the start and end of the base64 text */],
    [`Bearer ${'x'.repeat(513)}`, 'xx***xx'],
  ])('is bad in a malformed header: %s', (authorization, redacted) => {
    const detail = problemOf(() => secretOf(authorization))
    expect(detail).toMatchObject({ kind: 'bad_key' })
    expect(detail).toEqual({ kind: 'bad_key', redacted })
  })
})

describe('the organization and project a request asks for', () => {
  const read = (headers: Record<string, string>) => readCredentials({ authorization: 'Bearer sk-one', ...headers })

  it('are read from either spelling', () => {
    expect(read({ 'vendor-organization': 'org-a', 'openai-project': 'proj_a' })).toMatchObject({
      organization: 'org-a',
      project: 'proj_a',
    })
    expect(read({ 'openai-organization': 'org-a', 'vendor-project': 'proj_a' })).toMatchObject({
      organization: 'org-a',
      project: 'proj_a',
    })
  })

  it('may be said twice alike, and count as unsaid when empty', () => {
    expect(read({ 'vendor-project': 'proj_a', 'openai-project': 'proj_a' }).project).toBe('proj_a')
    expect(read({ 'vendor-project': '', 'openai-project': 'proj_a' }).project).toBe('proj_a')
    expect(read({ 'vendor-project': '' }).project).toBeUndefined()
  })

  it('are refused when the two spellings differ', () => {
    expect(problemOf(() => read({ 'vendor-organization': 'org-a', 'openai-organization': 'org-b' }))).toEqual({
      kind: 'mismatched_organization',
    })
    expect(problemOf(() => read({ 'vendor-project': 'proj_a', 'openai-project': 'proj_b' }))).toEqual({
      kind: 'mismatched_project',
    })
  })
})

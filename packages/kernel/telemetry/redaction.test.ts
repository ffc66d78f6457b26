import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Log } from './log.ts'
import { createLog } from './pino-log.ts'
import { redact } from './redaction.ts'

function logged(write: (log: Log) => void): string {
  const lines: string[] = []
  write(createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } }))
  expect(lines).toHaveLength(1)
  JSON.parse(lines[0]!)
  return lines[0]!
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-']
const token = fc.string({ unit: fc.constantFrom(...letters), minLength: 40, maxLength: 60 })
const key = fc
  .tuple(fc.constantFrom('sk-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'), token)
  .map(([prefix, rest]) => prefix + rest)
const around = fc.string({ unit: 'binary', maxLength: 12 })

const places: [where: string, write: (log: Log, text: string) => void][] = [
  ['in the message', (log, text) => log.info({}, text)],
  ['in a field', (log, text) => log.info({ field: text }, 'x')],
  ['deep in a field', (log, text) => log.info({ a: [{ b: { c: text } }] }, 'x')],
  ['as the name of a field', (log, text) => log.info({ [text]: 1 }, 'x')],
  ["in a child's fields", (log, text) => log.child({ field: text }).info({}, 'x')],
  ['in an error', (log, text) => log.error({ failure: new Error(text) }, 'x')],
  ['in the cause of an error', (log, text) => log.error({ err: new Error('x', { cause: new Error(text) }) }, 'x')],
]

describe('a log line', () => {
  it.each(places)('never holds a key %s, whatever stands around it', (_where, write) => {
    fc.assert(
      fc.property(around, key, around, (before, secret, after) => {
        expect(logged((log) => write(log, before + secret + after))).not.toContain(secret)
      }),
      { numRuns: 300 },
    )
  })

  it('never holds what follows Bearer, Authorization or token=', () => {
    const forms: ((secret: string) => string)[] = [
      (secret) => `Bearer ${secret}`,
      (secret) => `bearer\t${secret}`,
      (secret) => `Authorization: Basic ${secret}`,
      (secret) => `{"authorization": "Basic ${secret}"}`,
      (secret) => `authorization=${secret}`,
      (secret) => `refused {"user":"a","password":"${secret}"}`,
      (secret) => `GET /hooks?a=1&token=${secret}&b=2`,
      (secret) => `client_secret=${secret}`,
      (secret) => `postgres://user:${secret}@localhost/db`,
    ]
    fc.assert(
      fc.property(fc.constantFrom(...forms), token, fc.constantFrom(...places), (form, secret, [, write]) => {
        expect(logged((log) => write(log, form(secret)))).not.toContain(secret)
      }),
      { numRuns: 500 },
    )
  })

  it('hides the fields that hold secrets by name, whatever is in them', () => {
    const secret = 'plain "words" \\ of a pass\nphrase'
    const names = [
      'authorization',
      'Proxy-Authorization',
      'cookie',
      'set-cookie',
      'password',
      'api_key',
      'access_token',
    ]
    for (const name of names) {
      const shown = JSON.parse(
        logged((log) => log.info({ headers: { [name]: secret }, list: { [name]: [secret, secret] } }, 'x')),
      )
      expect(shown).toMatchObject({ headers: { [name]: '[redacted]' }, list: { [name]: ['[redacted]'] } })
    }
  })

  it('stays JSON, whatever words a caller puts in it', () => {
    const words = [
      'authorization',
      'token',
      'sk-',
      'bearer',
      '://',
      ':',
      '=',
      '@',
      '"',
      "'",
      '\\\\',
      ' ',
      '[',
      '}',
      '\\n',
      ',',
      'a1',
    ]
    const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => parts.join(''))
    const field = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text), fc.record({ token: text }))
    fc.assert(
      fc.property(
        fc.dictionary(text, field),
        text,
        (fields, message) => void logged((log) => log.info({ fields }, message)),
      ),
      { numRuns: 3_000 },
    )
  })

  it('stays as it is when it holds no secret', () => {
    const fields = { path: '/v1/files', tokens: 12, max_tokens: '12', disk: 'disk-full', url: 'http://127.0.0.1:80/a' }
    const message = 'task-runner took the risk-free path, 3 tokens'
    expect(JSON.parse(logged((log) => log.info(fields, message)))).toMatchObject({ ...fields, message })
  })

  it('has time, level, message, and errors with their stack', () => {
    const shown = JSON.parse(
      logged((log) => log.child({ service: 'platform' }).warn({ failure: new TypeError('no') }, 'odd')),
    )
    expect(shown).toMatchObject({ level: 'warn', message: 'odd', service: 'platform', failure: { message: 'no' } })
    expect(shown.failure.stack).toContain('redaction.test.ts')
    expect(new Date(shown.time).toISOString()).toBe(shown.time)
  })

  it('survives circles and big integers', () => {
    const circle: Record<string, unknown> = { size: 10n }
    circle.self = circle
    expect(JSON.parse(logged((log) => log.info({ circle }, 'x')))).toMatchObject({ circle: { self: '[Circular]' } })
  })
})

describe('redact', () => {
  it('says that something was there', () => {
    expect(redact('wrong key sk-abc123 given')).toBe('wrong key sk-[redacted] given')
    expect(redact('postgres://u:p@ss@h/d')).toBe('postgres://u:[redacted]@h/d')
  })
})

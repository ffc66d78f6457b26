import { createHash } from 'node:crypto'
import { systemClock } from '@atoll/kernel/clock/clock'
import { createIds } from '@atoll/kernel/ids/ids'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestOf, newSecret, redact, sameDigest } from './secret.ts'

const ids = createIds(systemClock)

describe('a secret', () => {
  it.each([
    ['project', /^sk-proj-[0-9A-Za-z]{48}$/],
    ['user', /^sk-[0-9A-Za-z]{48}$/],
    ['service_account', /^sk-svcacct-[0-9A-Za-z]{48}$/],
    ['admin', /^sk-admin-[0-9A-Za-z]{48}$/],
  ] as const)('of a %s key tells its kind by its prefix', (kind, form) => {
    expect(newSecret(ids, kind)).toMatch(form)
    expect(newSecret(ids, kind)).not.toBe(newSecret(ids, kind))
  })

  it('is kept as its SHA-256 digest', () => {
    expect(digestOf('sk-proj-abc')).toBe(createHash('sha256').update('sk-proj-abc').digest('base64url'))
  })

  it('matches its own digest only', () => {
    const digest = digestOf('one')
    expect(sameDigest(digest, digestOf('one'))).toBe(true)
    expect(sameDigest(digest, digestOf('two'))).toBe(false)
    expect(sameDigest(digest, digest.slice(1))).toBe(false)
  })
})

describe('redaction', () => {
  it.each([
    ['sk-proj-abcdefghijklmnopqrstuvwxyz', 'sk-proj-ab***yz'],
    ['sk-abcdefghijklmnopqrstuvwxyz', 'sk-ab***yz'],
    ['sk-svcacct-abcdefghijklmnopqrstuvwxyz', 'sk-svcacct-ab***yz'],
    ['sk-admin-abcdefghijklmnopqrstuvwxyz', 'sk-admin-ab***yz'],
    ['something-quite-else', 'so***se'],
    ['123456789012', '***'],
    ['sk-proj-short', 'sk-proj-***'],
    ['', '***'],
    ['ü 😀 not a key at all 😀', '??***??'],
  ])('of %s is %s', (secret, redacted) => {
    expect(redact(secret)).toBe(redacted)
  })

  it('never shows more than a known prefix and four characters, all printable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (secret) => {
        const shown = redact(secret)
        expect(shown).toMatch(/^(sk-|sk-proj-|sk-svcacct-|sk-admin-)?([\x21-\x7e]{2}\*\*\*[\x21-\x7e]{2}|\*\*\*)$/)
      }),
    )
  })
})

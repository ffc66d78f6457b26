import { expect, it } from 'vitest'
import { checksumsOf } from './checksums.ts'
import { digestsText, PartCheck, readDigests } from './part-digests.ts'

const parts = [Buffer.from('one '), Buffer.from('two '), Buffer.from('3')]
const whole = Buffer.concat(parts)
const sums = parts.map(checksumsOf)
const isRight = (text: string, bytes: Buffer, start = 0) => {
  const digests = readDigests(text, 4, whole.length)
  return digests !== undefined && new PartCheck(digests, start).isRight(bytes)
}

it.each([
  ['as they are written', digestsText(sums).toString()],
  ['of earlier versions, SHA-256 alone', sums.map(({ sha256 }) => sha256).join('\n')],
])('digests of parts %s tell a changed byte', (_, text) => {
  expect(isRight(text, whole)).toBe(true)
  expect(isRight(text, whole.subarray(4), 4)).toBe(true)
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(isRight(text, changed)).toBe(false)
  }
})

it('digests of another number of parts, or cut short, are none', () => {
  const text = digestsText(sums).toString()
  expect(readDigests(text, 4, whole.length + 4)).toBeUndefined()
  expect(readDigests(text.slice(0, -1), 4, whole.length)).toBeUndefined()
})

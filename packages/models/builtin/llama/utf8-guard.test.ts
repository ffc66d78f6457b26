import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Utf8Guard } from './utf8-guard.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Every byte is a token. */
const bytes = {
  size: 256,
  bytesOf: (token: number) => Buffer.from([token]),
  isEnd: () => false,
} as unknown as Vocabulary

it('lets through exactly what is valid UTF-8', () => {
  const guard = new Utf8Guard(bytes)
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const isValid = (text: Uint8Array): boolean => {
    try {
      strict.decode(text)
      return true
    } catch {
      return false
    }
  }
  const passes = (text: Uint8Array): boolean => {
    let state = Utf8Guard.start
    for (const byte of text) {
      if (guard.banned(state, false).includes(byte)) return false
      state = guard.next(state, byte, false)
    }
    return state === Utf8Guard.start
  }
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 6 }), fc.string({ unit: 'binary' }).map(utf8)), (text) => {
      expect(passes(text)).toBe(isValid(text))
    }),
    { numRuns: 3_000 },
  )
  for (const edge of [
    [0xed, 0xa0, 0x80],
    [0xe0, 0x80, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf0, 0x9f, 0x98, 0x80],
    [0xc0, 0x80],
  ]) {
    expect(passes(Uint8Array.from(edge))).toBe(isValid(Uint8Array.from(edge)))
  }
})

const utf8 = (text: string): Uint8Array => Buffer.from(text.toWellFormed())

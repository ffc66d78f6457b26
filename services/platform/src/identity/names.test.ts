import { describe, expect, it } from 'vitest'
import { checkedName, isIdText } from './names.ts'
import { IdentityProblem } from './problems.ts'

describe('a name', () => {
  it('loses surrounding spaces and may be written in any script', () => {
    expect(checkedName('  Équipe 研究 🚀 ')).toBe('Équipe 研究 🚀')
    expect(checkedName('x'.repeat(256))).toHaveLength(256)
  })

  it.each(['', '   ', 'x'.repeat(257), 'a\0b', 'a\nb', 'a\u009fb'])('is refused: %j', (name) => {
    expect(() => checkedName(name)).toThrow(IdentityProblem)
  })
})

describe('the text of an id', () => {
  it('is printable ASCII of a bounded length', () => {
    expect(isIdText('proj_abc')).toBe(true)
    for (const text of ['', 'a b', 'a\0', 'é', 'x'.repeat(129)]) expect(isIdText(text)).toBe(false)
  })
})

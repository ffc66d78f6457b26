import { describe, expect, it } from 'vitest'
import { replyText, splitCommand } from './command-text.ts'

describe('the command line of a database', () => {
  it('splits commands as redis-cli does', () => {
    expect(splitCommand('set a "two words"')).toEqual(['set', 'a', 'two words'])
    expect(splitCommand(`SET k 'a "b"'  x`)).toEqual(['SET', 'k', 'a "b"', 'x'])
    expect(splitCommand('set k "a\\"b\\n\\\\"')).toEqual(['set', 'k', 'a"b\n\\'])
    expect(splitCommand('set k ""')).toEqual(['set', 'k', ''])
    expect(splitCommand('  ')).toEqual([])
  })

  it('shows replies as redis-cli does', () => {
    expect(replyText(null)).toBe('(nil)')
    expect(replyText(3)).toBe('(integer) 3')
    expect(replyText('OK')).toBe('OK')
    expect(replyText([])).toBe('(empty array)')
    expect(replyText(['a', [1, null]])).toBe('1) a\n2) 1) (integer) 1\n   2) (nil)')
  })
})

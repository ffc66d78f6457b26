import { describe, expect, it } from 'vitest'
import { readIgnoreFile } from './ignore-file.ts'
import { readPathPattern } from './path-pattern.ts'

const ignored = (text: string, path: string): boolean => readIgnoreFile(text).ignores(path)

describe('.dockerignore', () => {
  it.each([
    ['a', 'a', true],
    ['a', 'a/b/c', true],
    ['a', 'b/a', false],
    ['/a', 'a', true],
    ['a/', 'a/b', true],
    ['./a/../b', 'b/c', true],
    ['*.md', 'x.md', true],
    ['*.md', 'sub/x.md', false],
    ['*/*.md', 'sub/x.md', true],
    ['**/*.md', 'x.md', true],
    ['**/*.md', 'a/b/x.md', true],
    ['a/**', 'a/b/c', true],
    ['a/**', 'a', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['**', 'anything/at/all', true],
    ['**/x', 'yx', false],
    ['?.txt', 'a.txt', true],
    ['?.txt', '/.txt', false],
    ['[a-c].txt', 'b.txt', true],
    ['[^a-c].txt', 'b.txt', false],
    ['a.b', 'axb', false],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['*.md\n!README.md', 'README.md', false],
    ['*.md\n!README.md', 'OTHER.md', true],
    ['*.md\n!README*.md\nREADME-secret.md', 'README-secret.md', true],
    ['a\n!a/b', 'a/b/c', false],
    ['a\n!a/b', 'a/x', true],
    ['!a\na', 'a', true],
    ['# a\na', 'a', true],
    [' # not a comment', '# not a comment', true],
    ['\uFEFFa\r\n\r\n b \r\n', 'b', true],
    ['.', 'a', false],
  ])('%j: %s is left out: %s', (text, path, expected) => {
    expect(ignored(text, path)).toBe(expected)
  })

  it('says which line is wrong', () => {
    expect(() => readIgnoreFile('a\n!')).toThrow('.dockerignore, line 2: illegal exclusion pattern: "!"')
    expect(() => readIgnoreFile('[a')).toThrow('.dockerignore, line 1: syntax error in pattern [a')
  })
})

describe('a pattern of COPY', () => {
  it('knows no folders', () => {
    const matches = (pattern: string, path: string) => readPathPattern(pattern, { hasFolders: false }).matches(path)
    expect(matches('**', 'a/b')).toBe(false)
    expect(matches('a/*', 'a/b')).toBe(true)
    expect(matches('[a\\]]x', ']x')).toBe(true)
    expect(() => matches('[]a]', 'a')).toThrow('syntax error in pattern')
    expect(() => matches('a\\', 'a')).toThrow('syntax error in pattern')
  })
})

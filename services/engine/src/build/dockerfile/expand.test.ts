import { describe, expect, it } from 'vitest'
import { expandWord, expandWords } from './expand.ts'

const values: Record<string, string> = { a: 'one', empty: '', path: '/usr/local/bin/x.tar.gz', two: 'b c' }
const form = { escapedBy: '\\' } as const
const expand = (text: string) => expandWord(text, (name) => values[name], form)

describe('a word with variables', () => {
  it.each([
    ['$a', 'one'],
    ['${a}b', 'oneb'],
    ['$ab', ''],
    ['$a$a', 'oneone'],
    ['$', '$'],
    ['$.', '$.'],
    ['\\$a', '$a'],
    ["'$a'", '$a'],
    ['"$a"', 'one'],
    ['"\\$a \\" \\x"', '$a " \\x'],
    ['a\\ b', 'a b'],
    ['end\\', 'end'],
    ['${a:-x}', 'one'],
    ['${empty:-x}', 'x'],
    ['${empty-x}', ''],
    ['${none-x}', 'x'],
    ['${none:-${a}}', 'one'],
    ['${none:-"a }"}', 'a }'],
    ['${a:+x}', 'x'],
    ['${empty:+x}', ''],
    ['${empty+x}', 'x'],
    ['${none+x}', ''],
    ['${path#*/}', 'usr/local/bin/x.tar.gz'],
    ['${path##*/}', 'x.tar.gz'],
    ['${path%.*}', '/usr/local/bin/x.tar'],
    ['${path%%.*}', '/usr/local/bin/x'],
    ['${path/\\/usr/}', '/local/bin/x.tar.gz'],
    ['${path//\\//-}', '-usr-local-bin-x.tar.gz'],
    ['${path/?.tar/y}', '/usr/local/bin/y.gz'],
    ['${path#nothing}', '/usr/local/bin/x.tar.gz'],
    ['${a/*/all}', 'all'],
    ['$1', ''],
  ])('%s is %s', (text, expected) => {
    expect(expand(text)).toBe(expected)
  })

  it('says what is missing', () => {
    expect(() => expand('${none?}')).toThrow('none: is not allowed to be unset')
    expect(() => expand('${empty:?say $a}')).toThrow('empty: say one')
    expect(expand('${empty?no}')).toBe('')
  })

  it('becomes several words where a value has spaces outside of quotes', () => {
    const words = (text: string) => expandWords(text, (name) => values[name], form)
    expect(words('80 $two "$two" x$two')).toEqual(['80', 'b', 'c', 'b c', 'xb', 'c'])
    expect(words(' $none ')).toEqual([])
  })

  it('has letters for quotes in a here-document', () => {
    const text = expandWord('"$a" it\'s \\$a', (name) => values[name], { ...form, hasQuotes: false })
    expect(text).toBe('"one" it\'s $a')
  })

  it('cannot be made to fill the memory, or to take for ever', () => {
    const long = 'x'.repeat(500_000)
    expect(() => expandWord('$l$l$l', () => long, form)).toThrow('a value of more than')
    const stars = `\${l##${'*x'.repeat(200)}}`
    expect(() => expandWord(stars, () => long, form)).toThrow('takes too long')
    expect(() => expand('${none:-'.repeat(60))).toThrow('nested too deep')
  })
})

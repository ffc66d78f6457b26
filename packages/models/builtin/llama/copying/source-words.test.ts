import { expect, it } from 'vitest'
import { SourceWords } from './source-words.ts'

const bytes = (text: string) => Buffer.from(text).toString('latin1')

function onward(source: string, written: string) {
  const found = new SourceWords(source).onward(bytes(written))
  return found.map(({ rest, isInWord }) => [Buffer.from(rest, 'latin1').toString(), isInWord])
}

it('goes on where a value began like the source, from the beginnings of words alone', () => {
  expect(onward('to Anna Maria, 14 Elm Street', 'Anna Mar')).toEqual([['ia, 14 Elm Street', true]])
  expect(onward('to Anna Maria', 'nna')).toEqual([])
  expect(onward('to Anna Maria', 'Bob')).toEqual([])
  expect(onward('(Émile Zoë)', 'Émile Zo')).toEqual([['ë)', true]])
})

it('tells the middle of a word or a number from its end', () => {
  const isInWord = (source: string, written: string) => onward(source, written).map(([, inWord]) => inWord)
  for (const word of ["O'Neill", 'hook_v3.stl', 'Lopez-Smith', '13:45', '1,550.00', 'a@b.com']) {
    for (let at = 1; at < word.length; at++) expect(isInWord(`x ${word}. Y`, word.slice(0, at))).toEqual([true])
    expect(isInWord(`x ${word}. Y`, word)).toEqual([false])
  }
  expect(isInWord('Elm Street', 'Elm')).toEqual([false])
  expect(isInWord('Elm Street', 'Elm ')).toEqual([true])
})

it('knows both ways on where the source has two, and none where it has very many', () => {
  expect(onward('Ann. Annabel', 'Ann')).toEqual([
    ['. Annabel', false],
    ['abel', true],
  ])
  expect(onward('and so on '.repeat(100), 'so')).toEqual([])
})

it('takes marks of other scripts for marks, and their letters for letters', () => {
  expect(onward('„Wood—Fire“ for 5€', 'Wood')).toEqual([['—Fire“ for 5€', false]])
  expect(onward('für Žižka', 'Žiž')).toEqual([['ka', true]])
})

it('takes no sentence for a word in scripts that have no spaces', () => {
  expect(onward('田中太郎は東京に住んでいます。', '田')).toEqual([])
  expect(onward('สมชายอยู่ที่กรุงเทพ', 'สม')).toEqual([])
  expect(onward('張偉，Anna Maria先生', 'Anna Mar')).toEqual([['ia先生', true]])
  expect(onward('張偉，Anna Maria先生', 'Anna Maria')).toEqual([['先生', false]])
})

it('ends words at the marks of all scripts, and at what is no letter', () => {
  const isInWord = (source: string, written: string) => onward(source, written).map(([, inWord]) => inWord)
  expect(isInWord('(Иван，Пётр)', 'Иван')).toEqual([false])
  expect(isInWord('أحمد، سارة', 'أحمد')).toEqual([false])
  expect(isInWord('राम। सीता', 'राम')).toEqual([false])
  expect(isInWord('Anna🎉 Bob', 'Anna')).toEqual([false])
  expect(isInWord('Anna\ud83d', 'Anna')).toEqual([false])
})

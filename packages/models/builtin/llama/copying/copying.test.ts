import { expect, it } from 'vitest'
import { CopyTokens } from './copy-tokens.ts'
import { Copying } from './copying.ts'

/** Each byte is a token, and so are these. */
const words = [' Street', ' Elm', ' du', ' M', ' on', 'ia', '",']
const texts = [
  ...Array.from({ length: 256 }, (_, byte) => Buffer.from([byte])),
  ...words.map((word) => Buffer.from(word)),
]
const tokens = new CopyTokens({ size: texts.length, bytesOf: (token) => texts[token] as Buffer, isByte: () => false })

/** What is made more likely (or less) behind an answer that began so. */
function biased(source: string, written: string, isFree = true): Record<string, number> {
  const copying = new Copying({ source, tokens, isFree: () => isFree })
  const biases = copying.after(Buffer.from(written))
  return Object.fromEntries([...biases].map(([token, bias]) => [String(texts[token]), Math.sign(bias)]))
}

it('goes on like the source in the middle of a word, in whatever tokens the model has for it', () => {
  expect(biased('To Anna Maria.', '{"name": "Anna Mar')).toEqual({ i: 1, ia: 1 })
  expect(biased('To Anna Maria.', '{"name": "Anna Maria')).toEqual({})
})

it('leaves a value alone that is like nothing in the source, or not free', () => {
  expect(biased('To Anna Maria.', '{"name": "Bert')).toEqual({})
  expect(biased('To Anna Maria.', '{"name": "Anna Mar', false)).toEqual({})
  expect(biased('To Anna Maria.', '{"Anna Mar')).toEqual({})
})

it('leaves it to the model whether a word is one that the source has, or the beginning of another', () => {
  expect(biased('Ann met Annabel', '{"name": "Ann')).toEqual({})
})

it('goes on to the number and the rest of a name, not to what merely stands behind it', () => {
  expect(biased('in Elm Court 31 today', '{"street": "Elm Court')).toEqual({ ' ': 1 })
  expect(biased('in Elm Court 31 today', '{"street": "Elm Court ')).toEqual({ '3': 1 })
  expect(biased('with Amis du Musee here', '{"group": "Amis')).toEqual({ ' du': 1 })
  expect(biased('the Museum on Sunday', '{"museum": "Museum')).toEqual({})
  expect(biased('a red umbrella 5', '{"thing": "umbrella')).toEqual({})
})

it('does not end a number in its middle, whatever separates its thousands', () => {
  expect(biased('It is 1,550.00 EUR', '{"amount": 1')).toEqual({ '5': 1 })
  expect(biased('It is 1,550.00 EUR', '{"amount": 1550')).toEqual({})
  expect(biased('It is 1,550.00 EUR', '{"amount": 2')).toEqual({})
})

it('gives a field a number that no other has, as far as the source has one', () => {
  expect(biased('hive 13 with 4 frames', '{"hive": 13, "frames": ')).toEqual({ '1': -1, '4': 1 })
  expect(biased('hive 4 with 4 frames', '{"hive": 4, "frames": ')).toEqual({})
  expect(biased('hive 13', '{"hive": 13, "frames": ')).toEqual({})
  expect(biased('0 hives with 4 frames', '{"note": "", "hives": ')).toEqual({})
})

it('takes the token of a letter, not that of its byte, whichever of them comes first', () => {
  const letters = ['a', ...texts, 'b'].map((text) => Buffer.from(text))
  const isByte = (token: number): boolean => token > 0 && token <= texts.length
  const words = new CopyTokens({ size: letters.length, bytesOf: (token) => letters[token] as Buffer, isByte })
  const [a, b, byteOfC] = [0, letters.length - 1, 1 + 'c'.charCodeAt(0)]
  expect(['a', 'b', 'c'].map((text) => [...words.beginning(text)])).toEqual([[a], [b], [byteOfC]])
})

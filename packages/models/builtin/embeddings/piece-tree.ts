// The vocabulary as a tree of letters, in memory that threads share: a piece is found letter by letter, and no word has
// to be cut out of a text to be looked up.

/** What letters are: `wordLetter` goes on with a word, a `symbol` is one by itself, the rest parts them. */
export const letterKind = { gap: 0, wordLetter: 1, symbol: 2, halfLetter: 3 } as const

export interface PieceTree {
  /** By UTF-16 unit: see `letterKind`. */
  kinds: Uint8Array
  /** By UTF-16 unit: its number in the tree; 0: no piece has it. */
  letters: Uint16Array
  letterCount: number
  /** A hash table: from a node and a letter to the next node. A key of 0 is a free place. */
  keys: Int32Array
  nodes: Int32Array
  /** By node: the piece that ends there, or -1. */
  pieces: Int32Array
}

/** Where words begin, and where what goes on with a word does. */
export const roots = { word: 0, tail: 1 } as const

const tailMark = '##'

export function growTree(vocabulary: readonly string[]): PieceTree {
  const units = vocabulary.reduce((sum, { length }) => sum + length, 0)
  const places = 2 ** Math.ceil(Math.log2(units * 1.5))
  const letters = shared(Uint16Array, 65_536)
  const tree: PieceTree = {
    kinds: kindsOfLetters(),
    letters,
    letterCount: numberLetters(vocabulary, letters),
    keys: shared(Int32Array, places),
    nodes: shared(Int32Array, places),
    pieces: shared(Int32Array, units + 2).fill(-1),
  }
  let last: number = roots.tail
  for (const [piece, text] of vocabulary.entries()) {
    const isTail = text.startsWith(tailMark) && text.length > tailMark.length
    let node: number = isTail ? roots.tail : roots.word
    for (let at = isTail ? tailMark.length : 0; at < text.length; at++) {
      const key = keyOf(tree, node, text.charCodeAt(at))
      const place = placeOf(tree, key)
      if (tree.keys[place] === 0) {
        tree.keys[place] = key
        tree.nodes[place] = ++last
      }
      node = tree.nodes[place] ?? 0
    }
    tree.pieces[node] = piece
  }
  return tree
}

/** -1: no piece goes on so. */
export function nextNode(tree: PieceTree, node: number, unit: number): number {
  const letter = tree.letters[unit] as number
  if (letter === 0) return -1
  const place = placeOf(tree, node * tree.letterCount + letter)
  return tree.keys[place] === 0 ? -1 : (tree.nodes[place] as number)
}

const keyOf = (tree: PieceTree, node: number, unit: number): number =>
  node * tree.letterCount + (tree.letters[unit] as number)

function placeOf({ keys }: PieceTree, key: number): number {
  const mask = keys.length - 1
  let place = (Math.imul(key, 0x9e3779b1) >>> 12) & mask
  while (keys[place] !== 0 && keys[place] !== key) place = (place + 1) & mask
  return place
}

/** From 1 on; tells how many there are and one more. */
function numberLetters(vocabulary: readonly string[], letters: Uint16Array): number {
  let count = 1
  for (const text of vocabulary) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (letters[unit] === 0) letters[unit] = count++
    }
  }
  return count
}

const isWordLetter = /[\p{L}\p{N}\p{M}]/u
const isGap = /[\s\p{Cc}\p{Cf}]/u
const isHalf = /\p{Cs}/u

export function kindOf(letter: string): number {
  if (isHalf.test(letter)) return letterKind.halfLetter
  if (isWordLetter.test(letter)) return letterKind.wordLetter
  return isGap.test(letter) ? letterKind.gap : letterKind.symbol
}

function kindsOfLetters(): Uint8Array {
  const kinds = shared(Uint8Array, 65_536)
  for (let unit = 0; unit < kinds.length; unit++) kinds[unit] = kindOf(String.fromCharCode(unit))
  return kinds
}

type Numbers = Uint8Array | Int8Array | Uint16Array | Int32Array | Uint32Array | Float32Array

/** Numbers that threads share. */
export function shared<Kind extends Numbers>(
  kind: { new (memory: SharedArrayBuffer): Kind; BYTES_PER_ELEMENT: number },
  length: number,
): Kind {
  return new kind(new SharedArrayBuffer(length * kind.BYTES_PER_ELEMENT))
}

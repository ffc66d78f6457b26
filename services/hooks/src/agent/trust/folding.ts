// Text as the eye reads it: look-alikes of letters and brackets become the plain ones, invisible characters go away.

/** Cyrillic, Greek and other letters that look like those of the markers. */
const lookalikes: Record<string, string> = {
  ...{ а: 'a', е: 'e', о: 'o', с: 'c', х: 'x', т: 't', н: 'n', к: 'k', ԁ: 'd', ո: 'n', ս: 'u', ѕ: 's', і: 'i', ј: 'j' },
  ...{ α: 'a', ε: 'e', ο: 'o', χ: 'x', τ: 't', ν: 'n', υ: 'u', ι: 'i', ϲ: 'c', ɑ: 'a', ꞇ: 't', ᴛ: 't', ᴇ: 'e', ᴄ: 'c' },
  ...{ ѵ: 'v', ʟ: 'l', ӏ: 'l', ɴ: 'n', ʀ: 'r', г: 'r', ᴏ: 'o', ᴜ: 'u', ᴅ: 'd', ı: 'i', ꓰ: 'e', ꓳ: 'o', ꓔ: 't' },
}

const openings = '<＜﹤‹«〈〈《⟨⟪❬❮❰≪⋘˂ᐸ⧼⦑⦓⪡'
const closings = '>＞﹥›»〉〉》⟩⟫❭❯❱≫⋙˃ᐳ⧽⦒⦔⪢'
const doubled = '«»《》⟪⟫≪≫⪡⪢⋘⋙'
const underscores = '_＿‿⁀﹍﹎﹏ˍ̲‗'

export interface Folded {
  text: string
  /** Where the character that a unit of `text` came from begins in the original, and where it ends. */
  from(index: number): number
  to(index: number): number
}

const beyondAscii = /\P{ASCII}/u
const known = new Map<string, string>()
const maxKnown = 5_000

export function fold(original: string): Folded {
  if (!beyondAscii.test(original)) {
    return { text: original.toLowerCase(), from: (index) => index, to: (index) => index + 1 }
  }
  const pieces: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  for (const character of original) {
    const plain = foldedOf(character)
    const end = at + character.length
    for (let index = 0; index < plain.length; index++) {
      starts.push(at)
      ends.push(end)
    }
    pieces.push(plain)
    at = end
  }
  return { text: pieces.join(''), from: (index) => starts[index] ?? at, to: (index) => ends[index] ?? at }
}

function foldedOf(character: string): string {
  const found = known.get(character)
  if (found !== undefined) return found
  const plain = foldCharacter(character)
  if (known.size < maxKnown) known.set(character, plain)
  return plain
}

function foldCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return character.toLowerCase()
  if (openings.includes(character)) return doubled.includes(character) ? '<<' : '<'
  if (closings.includes(character)) return doubled.includes(character) ? '>>' : '>'
  if (underscores.includes(character)) return '_'
  // Zero-width characters, soft hyphens, joiners, variation selectors, tags; and marks put onto a letter.
  if (/[\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0]/u.test(character)) return ''
  const small = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  let plain = ''
  for (const letter of small) plain += lookalikes[letter] ?? letter
  return plain
}

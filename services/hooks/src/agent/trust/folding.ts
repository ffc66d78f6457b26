// Text as the eye reads it: look-alikes of letters and brackets become the plain ones, invisible characters go away.

/** Letters that look like those of the markers: Cyrillic, Greek, Armenian, small capitals, Lisu, Cherokee, Latin ones. */
const lookalikes: Record<string, string> = {
  ...{ а: 'a', е: 'e', о: 'o', с: 'c', х: 'x', т: 't', н: 'n', к: 'k', ԁ: 'd', ո: 'n', ս: 'u', ѕ: 's', і: 'i', ј: 'j' },
  ...{ α: 'a', ε: 'e', ο: 'o', χ: 'x', τ: 't', ν: 'n', υ: 'u', ι: 'i', ϲ: 'c', ɑ: 'a', ꞇ: 't', ᴛ: 't', ᴇ: 'e', ᴄ: 'c' },
  ...{ ѵ: 'v', ʟ: 'l', ӏ: 'l', ɴ: 'n', ʀ: 'r', г: 'r', ᴏ: 'o', ᴜ: 'u', ᴅ: 'd', ı: 'i', ꓰ: 'e', ꓳ: 'o', ꓔ: 't' },
  ...{ ꓮ: 'a', ꓚ: 'c', ꓓ: 'd', ꓡ: 'l', ꓠ: 'n', ꓣ: 'r', ꓢ: 's', ꓴ: 'u', ꓫ: 'x', ꓲ: 'i', и: 'n', я: 'r', п: 'n' },
  ...{ ᴀ: 'a', ꜱ: 's', є: 'e', э: 'e', ҳ: 'x', ɛ: 'e', ǝ: 'e', ł: 'l', đ: 'd', ø: 'o', ŧ: 't', ƈ: 'c', ʇ: 't', ʋ: 'u' },
  ...lowered({
    Ꭺ: 'a',
    Ꮯ: 'c',
    Ꭰ: 'd',
    Ꭼ: 'e',
    Ꮮ: 'l',
    Ꮑ: 'n',
    Ꮎ: 'o',
    Ꭱ: 'r',
    Ꮢ: 'r',
    Ꮪ: 's',
    Ꭲ: 't',
    Ꮜ: 'u',
    Ꮋ: 'n',
  }),
}

/** As folding meets them. */
function lowered(letters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(letters).map(([letter, plain]) => [letter.toLowerCase(), plain]))
}

/** Letters in boxes that Unicode does not call letters: white on black, and those that flags are made of. */
const boxedLetters = [0x1f150, 0x1f170, 0x1f1e6]
const lettersInAlphabet = 26

const openings = '<＜﹤‹«〈〈《⟨⟪❬❮❰≪⋘˂ᐸ⧼⦑⦓⪡'
const closings = '>＞﹥›»〉〉》⟩⟫❭❯❱≫⋙˃ᐳ⧽⦒⦔⪢'
const doubled = '«»《》⟪⟫≪≫⪡⪢⋘⋙'
const underscores = '_＿‿⁀﹍﹎﹏ˍ̲‗▁'
const bars = '|｜∣❘⎮│┃ǀ￨'

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
  if (bars.includes(character)) return '|'
  const box = boxedLetters.find((first) => code >= first && code < first + lettersInAlphabet)
  if (box !== undefined) return String.fromCharCode('a'.charCodeAt(0) + code - box)
  // Zero-width characters, soft hyphens, joiners, variation selectors, tags; and marks put onto a letter.
  if (/[\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0]/u.test(character)) return ''
  const small = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  let plain = ''
  for (const letter of small) plain += lookalikes[letter] ?? letter
  return plain
}

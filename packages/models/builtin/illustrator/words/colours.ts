// Names of colours.
import { blend } from '../art/colour.ts'

export interface NamedColour {
  name: string
  hex: string
}

const plain: Record<string, string> = {
  red: '#e8201c',
  orange: '#ff7a12',
  yellow: '#ffd21c',
  green: '#23a83c',
  blue: '#1766e0',
  purple: '#8336c9',
  violet: '#7a3fd0',
  pink: '#ff6fb0',
  brown: '#8a5233',
  black: '#1d1b20',
  white: '#f7f7f7',
  gray: '#8c8f94',
  grey: '#8c8f94',
  gold: '#e8b923',
  golden: '#f0b61f',
  silver: '#c3c9d0',
  turquoise: '#1fc8bf',
  teal: '#0f8b8d',
  cyan: '#1ccbe8',
  aqua: '#1fd3d6',
  magenta: '#e021b0',
  crimson: '#c0102e',
  scarlet: '#f02a12',
  maroon: '#7b1530',
  burgundy: '#7a1630',
  navy: '#152a6b',
  indigo: '#3d2f9e',
  lime: '#8fe01c',
  olive: '#7b8030',
  beige: '#e6d7b8',
  cream: '#f6ecd2',
  tan: '#cfa878',
  peach: '#ffbf94',
  coral: '#ff7a5c',
  salmon: '#fa8a72',
  lavender: '#b9a3ee',
  lilac: '#c8a2e0',
  mint: '#8fe3b8',
  emerald: '#12a05c',
  ruby: '#c8103c',
  sapphire: '#1540b8',
  copper: '#b8703c',
  bronze: '#a8733a',
  blonde: '#f3d47a',
  rust: '#b5481c',
}

const shades: Record<string, { towards: string; share: number }> = {
  dark: { towards: '#0c0818', share: 0.42 },
  deep: { towards: '#0c0818', share: 0.32 },
  light: { towards: '#ffffff', share: 0.45 },
  pale: { towards: '#ffffff', share: 0.5 },
  pastel: { towards: '#ffffff', share: 0.5 },
  bright: { towards: '#ffffff', share: 0.08 },
  neon: { towards: '#ffffff', share: 0.1 },
}

const compound: Record<string, NamedColour> = {
  'sky blue': { name: 'sky blue', hex: '#62bdf5' },
  'baby blue': { name: 'baby blue', hex: '#9fd0f7' },
  'royal blue': { name: 'royal blue', hex: '#2347c9' },
  'navy blue': { name: 'navy blue', hex: '#152a6b' },
  'hot pink': { name: 'hot pink', hex: '#ff2f92' },
  'forest green': { name: 'forest green', hex: '#1c6b30' },
  'lime green': { name: 'lime green', hex: '#8fe01c' },
  'olive green': { name: 'olive green', hex: '#7b8030' },
}

const also = new Map(
  Object.entries({
    reddish: 'red',
    bluish: 'blue',
    greenish: 'green',
    yellowish: 'yellow',
    'red-colored': 'red',
  }),
)

/** The colour that begins at a word, with how many words it takes. */
export function colourAt(words: readonly string[], at: number): { colour: NamedColour; length: number } | undefined {
  const first = words[at] ?? ''
  const two = compound[`${first} ${words[at + 1] ?? ''}`]
  if (two !== undefined) return { colour: two, length: 2 }
  const shade = Object.hasOwn(shades, first) ? shades[first] : undefined
  const next = shade === undefined ? undefined : hexOf(words[at + 1] ?? '')
  if (shade !== undefined && next !== undefined) {
    const colour = { name: `${first} ${words[at + 1]}`, hex: blend(next, shade.towards, shade.share) }
    return { colour, length: 2 }
  }
  const joined = /^(dark|light|pale|bright|deep)-(\w+)$/.exec(first)
  const parts = joined === null ? undefined : colourAt([joined[1] ?? '', joined[2] ?? ''], 0)
  if (parts !== undefined) return { ...parts, length: 1 }
  const hex = hexOf(first)
  return hex === undefined ? undefined : { colour: { name: also.get(first) ?? first, hex }, length: 1 }
}

function hexOf(word: string): string | undefined {
  const name = also.get(word) ?? word.replace(/-(colou?red)$/, '')
  return Object.hasOwn(plain, name) ? plain[name] : undefined
}

/** What "colourful" things are, one after the other. */
export const rainbow: readonly NamedColour[] = ['red', 'yellow', 'blue', 'green', 'purple', 'orange'].map((name) => ({
  name,
  hex: plain[name] ?? '#ffffff',
}))

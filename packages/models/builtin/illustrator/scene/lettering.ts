// Lettering: words on a sign or another thing, and a title above the scene.
import { createRequire } from 'node:module'
import { blend } from '../art/colour.ts'

const require = createRequire(import.meta.url)
export const fontFile = (): string => require.resolve('@expo-google-fonts/nunito/800ExtraBold/Nunito_800ExtraBold.ttf')
export const fontFamily = 'Nunito ExtraBold'

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

const lineHeight = 1.12
/** Widths of letters, in ems; good enough to know what fits. */
const narrow = /[ijl.,:;'!|ItfrÍÌ()[\]]/
const wide = /[mwMW@%—…]/

const widthOf = (text: string): number =>
  [...text].reduce(
    (sum, letter) =>
      sum +
      (narrow.test(letter)
        ? 0.36
        : wide.test(letter)
          ? 0.95
          : /[A-Z0-9]/.test(letter)
            ? 0.7
            : letter === ' '
              ? 0.27
              : 0.6),
    0,
  )

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** In as many lines as make the letters largest. */
function fit(text: string, { width, height }: Box): { lines: string[]; size: number } {
  const words = text.split(' ')
  let best = { lines: [text], size: 0 }
  for (let count = 1; count <= Math.min(5, words.length); count++) {
    const lines = balanced(words, count)
    const size = Math.min(width / Math.max(...lines.map(widthOf)), height / (lines.length * lineHeight))
    if (size > best.size) best = { lines, size }
  }
  return best
}

function balanced(words: readonly string[], count: number): string[] {
  const target = widthOf(words.join(' ')) / count
  const lines: string[] = []
  let line = ''
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && lines.length < count - 1 && widthOf(longer) > target * 1.08) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

function textSvg(text: string, box: Box, colour: string, outline: string | undefined): string {
  const { lines, size } = fit(text, box)
  const first = box.y + box.height / 2 - ((lines.length - 1) * size * lineHeight) / 2 + size * 0.35
  const stroke =
    outline === undefined
      ? ''
      : ` stroke="${outline}" stroke-width="${(size * 0.16).toFixed(1)}" stroke-linejoin="round" paint-order="stroke"`
  return lines
    .map(
      (line, at) =>
        `<text x="${(box.x + box.width / 2).toFixed(1)}" y="${(first + at * size * lineHeight).toFixed(1)}" font-family="Nunito" font-weight="800" font-size="${size.toFixed(1)}" text-anchor="middle" fill="${colour}"${stroke}>${escaped(line)}</text>`,
    )
    .join('')
}

const inset = (box: Box, share: number): Box => ({
  x: box.x + box.width * share,
  y: box.y + box.height * share,
  width: box.width * (1 - 2 * share),
  height: box.height * (1 - 2 * share),
})

/** On a sign's board or a banner's cloth; on anything else, on a label across it. */
export function letteringOn(art: string, box: Box, text: string): string {
  if (art === 'own:sign') return textSvg(text, inset({ ...box, height: box.height * 0.65 }, 0.09), '#3a2418', undefined)
  if (art === 'own:banner') {
    return textSvg(
      text,
      { x: box.x + box.width * 0.15, y: box.y + box.height * 0.14, width: box.width * 0.7, height: box.height * 0.62 },
      '#ffffff',
      undefined,
    )
  }
  const width = Math.max(box.width * 0.96, box.height * 0.5)
  const height = Math.min(box.height * 0.26, width * 0.34)
  const label = { x: box.x + box.width / 2 - width / 2, y: box.y + box.height * 0.62 - height / 2, width, height }
  const plate = `<rect x="${label.x.toFixed(1)}" y="${label.y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="${(height * 0.2).toFixed(1)}" fill="#fffdf4" stroke="${blend('#3a2418', '#ffffff', 0.3)}" stroke-width="${(height * 0.05).toFixed(1)}"/>`
  return plate + textSvg(text, inset(label, 0.1), '#3a2418', undefined)
}

export const titleSvg = (text: string, box: Box): string => textSvg(text, inset(box, 0.08), '#ffffff', '#2a1a44')

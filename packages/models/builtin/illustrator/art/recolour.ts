// Gives a drawn thing another colour: what has its main colour changes, with all its lights and shadows; eyes, wheels and
// windows stay.
import { fromHex, fromHsl, type Hsl, toHsl } from './colour.ts'
import type { Sprite } from './sprite.ts'

const hueBins = 24
const binDegrees = 360 / hueBins
/** Less saturated is grey. */
const leastColour = 0.18
const darkBelow = 0.17
const whiteAbove = 0.93
/** Further away in hue belongs to something else. */
const nearDegrees = 48
const spareDegrees = 18

interface Main {
  /** Undefined: it is grey. */
  hue: number | undefined
  /** Means of what belongs to it. */
  s: number
  l: number
}

interface RecolourOptions {
  /** Hues, in degrees, that are not to be taken for the main one: skin. */
  spare?: readonly number[]
  /** Every colour changes; greys, white and black stay. */
  isWhole?: boolean
}

export function recolour(sprite: Sprite, colour: string, options: RecolourOptions = {}): Sprite {
  const { isWhole = false, spare = [] } = options
  const target = toHsl(fromHex(colour))
  const main = mainColour(sprite, spare)
  const pixels = Buffer.from(sprite.pixels)
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at + 3] === 0) continue
    const from = toHsl([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0])
    if (isSpared(from, spare)) continue
    const share = isWhole && main.hue !== undefined ? coloured(from) : belongs(from, main)
    if (share === 0) continue
    const to = fromHsl(shifted(from, main, target, isWhole))
    for (let part = 0; part < 3; part++) {
      const old = pixels[at + part] ?? 0
      pixels[at + part] = Math.round(old + ((to[part] ?? 0) - old) * share)
    }
  }
  return { ...sprite, pixels }
}

function mainColour({ pixels }: Sprite, spare: readonly number[]): Main {
  const bins = Array.from({ length: hueBins }, () => ({ weight: 0, s: 0, l: 0 }))
  const grey = { weight: 0, l: 0 }
  for (let at = 0; at < pixels.length; at += 16) {
    if ((pixels[at + 3] ?? 0) < 128) continue
    const { h, s, l } = toHsl([pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0])
    if (isSpared({ h, s, l }, spare)) continue
    if (s < leastColour || l > whiteAbove || l < darkBelow) {
      grey.weight += l < darkBelow ? 0.25 : 1
      grey.l += l * (l < darkBelow ? 0.25 : 1)
      continue
    }
    const bin = bins[Math.floor(h / binDegrees) % hueBins]
    if (bin === undefined) continue
    bin.weight++
    bin.s += s
    bin.l += l
  }
  const spread = bins.map((_, at) =>
    [at - 1, at, at + 1].reduce((sum, near) => sum + (bins[(near + hueBins) % hueBins]?.weight ?? 0), 0),
  )
  const best = spread.indexOf(Math.max(...spread))
  const coloured = [best - 1, best, best + 1].map((near) => bins[(near + hueBins) % hueBins])
  const weight = coloured.reduce((sum, bin) => sum + (bin?.weight ?? 0), 0)
  // A little colour on something grey or white is its trim, unless there is hardly more grey than colour.
  if (weight === 0 || grey.weight > 2.2 * weight) {
    return { hue: undefined, s: 0, l: grey.weight === 0 ? 0.5 : grey.l / grey.weight }
  }
  const mean = (part: 's' | 'l'): number => coloured.reduce((sum, bin) => sum + (bin?.[part] ?? 0), 0) / weight
  return { hue: (best + 0.5) * binDegrees, s: mean('s'), l: mean('l') }
}

const isSpared = ({ h, s }: Hsl, spare: readonly number[]): boolean =>
  spare.some((hue) => distance(h, hue) < spareDegrees && s > 0.5)

const distance = (one: number, other: number): number => {
  const gap = Math.abs(one - other) % 360
  return Math.min(gap, 360 - gap)
}

const coloured = ({ s, l }: Hsl): number => (s > leastColour && l > darkBelow && l < whiteAbove ? 1 : 0)

/** From 0 to 1. */
function belongs({ h, s, l }: Hsl, main: Main): number {
  if (main.hue === undefined) return s < 0.35 && l > Math.min(0.25, main.l * 0.6) ? 1 : 0
  if (s < leastColour * 0.6 || l < darkBelow * 0.7) return 0
  const gap = distance(h, main.hue)
  return gap < nearDegrees ? 1 : Math.max(0, 1 - (gap - nearDegrees) / 12)
}

function shifted(from: Hsl, main: Main, target: Hsl, isWhole: boolean): Hsl {
  const contrast = target.l > 0.85 || target.l < 0.15 || isWhole ? 0.45 : 0.8
  const l = Math.min(0.98, Math.max(0.03, target.l + (from.l - main.l) * contrast))
  const s = main.hue === undefined ? target.s : Math.min(1, target.s * Math.min(1.25, 0.35 + (0.65 * from.s) / main.s))
  const turn = main.hue === undefined || isWhole ? 0 : (((from.h - main.hue + 540) % 360) - 180) * 0.2
  return { h: target.h + turn, s, l }
}

// Colours as numbers.
export type Rgb = readonly [number, number, number]

/** Hue from 0 to 360, the rest from 0 to 1. */
export interface Hsl {
  h: number
  s: number
  l: number
}

export function fromHex(text: string): Rgb {
  const value = Number.parseInt(text.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

export const toHex = (rgb: Rgb): string =>
  `#${rgb
    .map((part) =>
      Math.round(Math.min(255, Math.max(0, part)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

/** `share` of the second. */
export function mix(one: string, other: string, share: number): Rgb {
  const [a, b] = [fromHex(one), fromHex(other)]
  return [0, 1, 2].map((at) => (a[at] ?? 0) * (1 - share) + (b[at] ?? 0) * share) as unknown as Rgb
}

export const blend = (one: string, other: string, share: number): string => toHex(mix(one, other, share))

export function toHsl([red, green, blue]: Rgb): Hsl {
  const [r, g, b] = [red / 255, green / 255, blue / 255]
  const max = Math.max(r, g, b)
  const min = Math.min(r, g, b)
  const l = (max + min) / 2
  const range = max - min
  if (range === 0) return { h: 0, s: 0, l }
  const s = range / (1 - Math.abs(2 * l - 1))
  const h = max === r ? ((g - b) / range + 6) % 6 : max === g ? (b - r) / range + 2 : (r - g) / range + 4
  return { h: h * 60, s, l }
}

export function fromHsl({ h, s, l }: Hsl): Rgb {
  const range = (1 - Math.abs(2 * l - 1)) * s
  const side = ((h % 360) + 360) % 360
  const middle = range * (1 - Math.abs(((side / 60) % 2) - 1))
  const least = l - range / 2
  const [r, g, b] = (
    [
      [range, middle, 0],
      [middle, range, 0],
      [0, range, middle],
      [0, middle, range],
      [middle, 0, range],
      [range, 0, middle],
    ] as const
  )[Math.min(5, Math.floor(side / 60))] ?? [0, 0, 0]
  return [(r + least) * 255, (g + least) * 255, (b + least) * 255]
}

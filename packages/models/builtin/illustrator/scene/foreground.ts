// Weather that is nearer than the things: rain, snow, fog, lightning.
import type { PictureSize } from '../../../draw.ts'
import type { Weather } from '../words/settings.ts'
import type { Random } from './random.ts'
import { number } from './view.ts'

/** Undefined: there is nothing of the kind. */
export function foreground({ width, height }: PictureSize, weather: Weather, random: Random): string | undefined {
  if (weather === 'rain' || weather === 'storm') {
    const drops = Array.from({ length: 120 }, () => {
      const length = height * (0.02 + random() * 0.025)
      return `M${number(random() * width)} ${number(random() * height)}l${number(-length * 0.25)} ${number(length)}`
    })
    const bolt = weather === 'storm' ? lightning(width, height, random) : ''
    return `${bolt}<path d="${drops.join('')}" stroke="#d8ecff" stroke-width="2.4" stroke-linecap="round" opacity=".6"/>`
  }
  if (weather === 'snow') {
    const flakes = Array.from(
      { length: 110 },
      () =>
        `<circle cx="${number(random() * width)}" cy="${number(random() * height)}" r="${number(1.5 + random() ** 2 * 5)}"/>`,
    )
    return `<g fill="#fff" opacity=".85">${flakes.join('')}</g>`
  }
  if (weather === 'fog') {
    const bands = [0.5, 0.62, 0.74, 0.88].map(
      (y) =>
        `<ellipse cx="${number(random() * width)}" cy="${number(y * height)}" rx="${number(width * 0.7)}" ry="${number(height * 0.05)}" opacity=".22"/>`,
    )
    return `<g fill="#f2f5f8"><rect width="${width}" height="${height}" opacity=".18"/>${bands.join('')}</g>`
  }
  return undefined
}

function lightning(width: number, height: number, random: Random): string {
  const x = width * (random() < 0.5 ? 0.12 : 0.86)
  const s = height * 0.055
  return `<path d="M${number(x)} 0l${number(-s)} ${number(s * 2.4)}h${number(s * 0.8)}l${number(-s * 0.9)} ${number(s * 2.6)}l${number(s * 2)} ${number(-s * 3.2)}h${number(-s * 0.8)}l${number(s * 0.9)} ${number(-s * 1.8)}z" fill="#fff6a8"/>`
}

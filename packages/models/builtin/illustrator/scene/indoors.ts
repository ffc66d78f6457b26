// Rooms: a wall, a floor, and what tells which room it is.
import { blend } from '../art/colour.ts'
import { number, type View } from './view.ts'

export function indoors(view: View): string {
  const { width, height, horizon, palette, setting } = view
  const [light = '#fff', dark = '#ddd'] = palette.wall ?? []
  const [near, far] = palette.ground
  const isPlain = setting.place === 'plain'
  const parts = [
    `<defs><linearGradient id="wall" x1="0" y1="0" x2="0" y2="1"><stop stop-color="${light}"/><stop offset="1" stop-color="${dark}"/></linearGradient><linearGradient id="floor" x1="0" y1="0" x2="0" y2="1"><stop stop-color="${far}"/><stop offset="1" stop-color="${near}"/></linearGradient></defs>`,
    `<rect width="${width}" height="${number(horizon + 1)}" fill="url(#wall)"/>`,
    isPlain ? '' : decoration(view),
    `<rect y="${number(horizon)}" width="${width}" height="${number(height - horizon)}" fill="url(#floor)"/>`,
  ]
  if (isPlain) return parts.join('')
  if (setting.place === 'tabletop') {
    parts.push(
      `<rect y="${number(horizon)}" width="${width}" height="${number(height * 0.012)}" fill="${blend(near, '#ffffff', 0.35)}"/>`,
      grain(view),
    )
  } else {
    parts.push(
      `<rect y="${number(horizon - height * 0.018)}" width="${width}" height="${number(height * 0.02)}" fill="${blend(dark, '#ffffff', 0.45)}"/>`,
      boards(view),
    )
  }
  return parts.join('')
}

function decoration(view: View): string {
  const { setting, width, horizon, height } = view
  if (setting.place === 'stage') return curtains(view)
  if (setting.place === 'library') return shelves(view)
  if (setting.place === 'classroom') {
    const h = horizon * 0.42
    return `<rect x="${number(width * 0.2)}" y="${number(horizon * 0.14)}" width="${number(width * 0.6)}" height="${number(h)}" rx="6" fill="#8a5a34"/><rect x="${number(width * 0.215)}" y="${number(horizon * 0.14 + height * 0.014)}" width="${number(width * 0.57)}" height="${number(h - height * 0.028)}" fill="#2d6a4f"/>`
  }
  if (setting.place === 'kitchen') return tiles(view)
  if (setting.place === 'tabletop') return ''
  return pane(view)
}

/** The outside, seen through a window: the time of day tells there too. */
function pane({ width, horizon, palette, random, setting }: View): string {
  const w = width * 0.2
  const h = horizon * 0.42
  const x = width * (random() < 0.5 ? 0.07 : 0.73)
  const y = horizon * 0.14
  const sky = setting.time === 'day' ? '#a9dcf7' : palette.sky.bottom
  return `<rect x="${number(x)}" y="${number(y)}" width="${number(w)}" height="${number(h)}" rx="4" fill="#fff"/><rect x="${number(x + w * 0.06)}" y="${number(y + h * 0.06)}" width="${number(w * 0.88)}" height="${number(h * 0.88)}" fill="${sky}"/><path d="M${number(x + w / 2)} ${number(y)}v${number(h)}M${number(x)} ${number(y + h / 2)}h${number(w)}" stroke="#fff" stroke-width="${number(w * 0.05)}"/>`
}

function tiles({ width, horizon }: View): string {
  const side = width / 14
  const lines: string[] = []
  for (let x = side; x < width; x += side) lines.push(`M${number(x)} 0V${number(horizon)}`)
  for (let y = side; y < horizon; y += side) lines.push(`M0 ${number(y)}H${width}`)
  return `<path d="${lines.join('')}" stroke="#fff" stroke-width="2.5" opacity=".6"/>`
}

function curtains({ width, horizon }: View): string {
  const folds = Array.from(
    { length: 14 },
    (_, at) =>
      `<rect x="${number((at / 14) * width)}" width="${number(width / 28)}" height="${number(horizon)}" fill="#000" opacity=".16"/>`,
  )
  return `${folds.join('')}<path d="M0 0h${width}v${number(horizon * 0.1)}q${number(-width / 8)} ${number(horizon * 0.1)} ${number(-width / 4)} 0t${number(-width / 4)} 0t${number(-width / 4)} 0t${number(-width / 4)} 0z" fill="#b3203c"/><ellipse cx="${number(width / 2)}" cy="${number(horizon)}" rx="${number(width * 0.4)}" ry="${number(horizon * 0.9)}" fill="#fff6c8" opacity=".16"/>`
}

function shelves({ width, horizon, random }: View): string {
  const spines = ['#a8423a', '#3a6ea8', '#c99a3a', '#5c8a4a', '#7a4f8a', '#b5683a', '#3f7f86']
  const rows = 4
  const parts: string[] = []
  for (let row = 0; row < rows; row++) {
    const bottom = ((row + 1) / rows) * horizon
    const room = horizon / rows
    for (let x = 0; x < width; ) {
      const w = width * (0.012 + random() * 0.016)
      const h = room * (0.55 + random() * 0.25)
      parts.push(
        `<rect x="${number(x)}" y="${number(bottom - h)}" width="${number(w)}" height="${number(h)}" fill="${spines[Math.floor(random() * spines.length)]}" opacity=".6"/>`,
      )
      x += w + 1
    }
    parts.push(
      `<rect y="${number(bottom - room * 0.06)}" width="${width}" height="${number(room * 0.08)}" fill="#7d5230"/>`,
    )
  }
  return parts.join('')
}

function boards({ width, height, horizon, palette }: View): string {
  const [near] = palette.ground
  const lines = Array.from({ length: 9 }, (_, at) => {
    const x = ((at + 0.5) / 9) * width
    return `M${number(width / 2 + (x - width / 2) * 0.72)} ${number(horizon)}L${number(width / 2 + (x - width / 2) * 1.35)} ${height}`
  })
  return `<path d="${lines.join('')}" stroke="${blend(near, '#20100a', 0.3)}" stroke-width="2" opacity=".4"/>`
}

function grain({ width, height, horizon, palette, random }: View): string {
  const [near] = palette.ground
  const lines = Array.from({ length: 7 }, () => {
    const y = horizon + (height - horizon) * (0.15 + random() * 0.8)
    return `M0 ${number(y)}Q${number(width * random())} ${number(y + height * 0.012)} ${width} ${number(y - height * 0.006)}`
  })
  return `<path d="${lines.join('')}" stroke="${blend(near, '#20100a', 0.25)}" stroke-width="2" fill="none" opacity=".35"/>`
}

// Sky, ground and what is far away, as SVG.
import { blend } from '../art/colour.ts'
import type { Place } from '../words/settings.ts'
import { indoors } from './indoors.ts'
import { isIndoors, paletteFor } from './palette.ts'
import { type BackdropOptions, number, type View } from './view.ts'

export function backdropSvg(options: BackdropOptions): string {
  const { size, setting, style } = options
  const palette = paletteFor(setting.place, setting, style)
  const view: View = { ...options, ...size, palette, detail: options.quality === 'hd' ? 2 : 1 }
  const { width, height } = size
  const content = isIndoors(setting.place) ? indoors(view) : outdoors(view)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}${shadows(view)}</svg>`
}

function outdoors(view: View): string {
  const { place } = view.setting
  if (place === 'space') return space(view)
  if (place === 'underwater') return underwater(view)
  return [sky(view), distance(view), ground(view), texture(view)].join('')
}

const gradient = (id: string, top: string, bottom: string, middle = ''): string =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop stop-color="${top}"/>${middle}<stop offset="1" stop-color="${bottom}"/></linearGradient>`

function sky(view: View): string {
  const { width, height, horizon, palette, setting, style } = view
  const { top, bottom, glow } = palette.sky
  const light = lightPlace(view)
  const parts = [
    `<defs>${gradient('sky', top, bottom)}<radialGradient id="glow"><stop stop-color="${glow}" stop-opacity="${style === 'vivid' ? 0.95 : 0.6}"/><stop offset="1" stop-color="${glow}" stop-opacity="0"/></radialGradient></defs>`,
    `<rect width="${width}" height="${number(horizon + height * 0.04)}" fill="url(#sky)"/>`,
  ]
  const isClear = setting.weather === 'clear'
  if (setting.time === 'night' && setting.weather !== 'storm') parts.push(stars(view, isClear ? 90 : 24))
  if (isClear)
    parts.push(
      `<circle cx="${number(light.x)}" cy="${number(light.y)}" r="${number(height * (setting.time === 'day' ? 0.3 : 0.5))}" fill="url(#glow)"/>`,
    )
  if (isClear && setting.time === 'night' && !view.hasMoon) {
    parts.push(`<circle cx="${number(light.x)}" cy="${number(light.y)}" r="${number(height * 0.05)}" fill="#f4f0d0"/>`)
  }
  if (isClear && setting.time !== 'night' && !view.hasSun) {
    const r = height * (setting.time === 'day' ? 0.045 : 0.07)
    parts.push(
      `<circle cx="${number(light.x)}" cy="${number(light.y)}" r="${number(r)}" fill="${setting.time === 'day' ? '#fff3b0' : '#ffe08a'}"/>`,
    )
  }
  if (!view.hasClouds || !isClear) parts.push(clouds(view))
  return parts.join('')
}

/** Where no thing of the sky is. */
function lightPlace({ width, height, horizon, setting, placed, random }: View): { x: number; y: number } {
  const y = setting.time === 'day' || setting.time === 'night' ? height * 0.13 : horizon - height * 0.03
  const spots = random() < 0.5 ? [0.86, 0.14, 0.5, 0.32, 0.68] : [0.14, 0.86, 0.5, 0.68, 0.32]
  const isFree = (x: number): boolean =>
    !placed.some(
      (one) =>
        one.y < y + height * 0.1 &&
        one.y + one.height > y - height * 0.1 &&
        one.x < x + width * 0.08 &&
        one.x + one.width > x - width * 0.08,
    )
  return { x: width * (spots.find((spot) => isFree(width * spot)) ?? 0.9), y }
}

function stars({ width, horizon, random, detail }: View, count: number): string {
  return Array.from({ length: count * detail }, () => {
    const r = 0.6 + random() ** 3 * 2
    return `<circle cx="${number(random() * width)}" cy="${number(random() * horizon)}" r="${number(r)}" fill="#fff" opacity="${number(0.5 + random() / 2)}"/>`
  }).join('')
}

function clouds({ width, horizon, setting, style, palette, random }: View): string {
  const many = setting.weather === 'clear' ? 2 : 6
  const colour = setting.weather === 'storm' ? '#3c4456' : setting.weather === 'rain' ? '#7d8898' : '#ffffff'
  const shade = setting.time === 'night' ? blend(colour, palette.sky.top, 0.65) : colour
  const opacity = setting.weather === 'clear' ? (style === 'vivid' ? 0.55 : 0.7) : 0.85
  return Array.from({ length: many }, (_, at) => {
    const x = ((at + random() * 0.8) / many) * width
    const y = horizon * (0.1 + random() * (setting.weather === 'clear' ? 0.4 : 0.3))
    const r = width * (0.03 + random() * 0.025)
    const puffs = [
      [0, 0, 1],
      [1.1, 0.2, 0.8],
      [-1.1, 0.25, 0.75],
      [0.5, -0.45, 0.8],
    ].map(
      ([dx = 0, dy = 0, size = 1]) =>
        `<circle cx="${number(x + dx * r)}" cy="${number(y + dy * r)}" r="${number(r * size)}"/>`,
    )
    return `<g fill="${shade}" opacity="${opacity}">${puffs.join('')}<rect x="${number(x - 1.9 * r)}" y="${number(y)}" width="${number(3.8 * r)}" height="${number(r)}" rx="${number(r / 2)}"/></g>`
  }).join('')
}

/** A line of hills from left to right, down to the horizon and below. */
function hills({ width, height, random }: View, y: number, rise: number, colour: string): string {
  const humps = 4
  let d = `M0 ${number(y + rise)}`
  for (let hump = 0; hump < humps; hump++) {
    const x = ((hump + 0.5) / humps) * width
    d += `Q${number(x)} ${number(y - rise * (0.6 + random()))} ${number(((hump + 1) / humps) * width)} ${number(y + rise * random() * 0.6)}`
  }
  return `<path d="${d}V${number(y + height * 0.2)}H0z" fill="${colour}"/>`
}

function peaks({ width, height, random, palette, horizon }: View, rise: number, colour: string, snow: string): string {
  return Array.from({ length: 5 }, (_, at) => {
    const x = ((at + 0.2 + random() * 0.6) / 5) * width
    const tall = rise * (0.6 + random() * 0.6)
    const wide = tall * (0.8 + random() * 0.4)
    const y = horizon + height * 0.03
    return `<path d="M${number(x - wide)} ${number(y)}L${number(x)} ${number(y - tall)}L${number(x + wide)} ${number(y)}z" fill="${palette.far(colour, 0.25 + random() * 0.2)}"/><path d="M${number(x - wide * 0.26)} ${number(y - tall * 0.74)}L${number(x)} ${number(y - tall)}L${number(x + wide * 0.26)} ${number(y - tall * 0.74)}l${number(-wide * 0.13)} ${number(-tall * 0.04)}l${number(-wide * 0.13)} ${number(tall * 0.07)}l${number(-wide * 0.13)} ${number(-tall * 0.07)}z" fill="${snow}"/>`
  }).join('')
}

function trees(
  { width, height, horizon, random, detail }: View,
  colour: string,
  isPointed: boolean,
  tall: number,
): string {
  const count = 16 * Math.min(1.5, detail)
  return Array.from({ length: Math.round(count) }, (_, at) => {
    const x = ((at + random()) / count) * width
    const h = height * tall * (0.7 + random() * 0.6)
    const y = horizon + height * 0.03
    return isPointed
      ? `<path d="M${number(x - h * 0.3)} ${number(y)}L${number(x)} ${number(y - h)}L${number(x + h * 0.3)} ${number(y)}z" fill="${colour}"/>`
      : `<g fill="${colour}"><rect x="${number(x - h * 0.05)}" y="${number(y - h * 0.5)}" width="${number(h * 0.1)}" height="${number(h * 0.5)}"/><circle cx="${number(x)}" cy="${number(y - h * 0.65)}" r="${number(h * 0.34)}"/></g>`
  }).join('')
}

function skyline({ width, height, horizon, random, palette, setting }: View): string {
  const isNight = setting.time === 'night' || setting.time === 'sunset'
  let x = 0
  const parts: string[] = []
  while (x < width) {
    const w = width * (0.05 + random() * 0.06)
    const h = height * (0.1 + random() * 0.22)
    const y = horizon + height * 0.03 - h
    parts.push(
      `<rect x="${number(x)}" y="${number(y)}" width="${number(w + 1)}" height="${number(h)}" fill="${palette.far('#6c7590', 0.25 + random() * 0.3)}"/>`,
    )
    const panes = isNight ? '#ffe08a' : '#e6f0fa'
    for (let row = 0; row < h / (height * 0.04) - 1; row++) {
      for (let column = 0; column < 3; column++) {
        if (random() < 0.35) continue
        parts.push(
          `<rect x="${number(x + w * (0.16 + column * 0.26))}" y="${number(y + height * (0.015 + row * 0.04))}" width="${number(w * 0.15)}" height="${number(height * 0.02)}" fill="${panes}" opacity=".6"/>`,
        )
      }
    }
    x += w
  }
  return parts.join('')
}

function distance(view: View): string {
  const { palette, horizon, height, setting, width } = view
  const far = (colour: string, by: number): string => palette.far(colour, by)
  const rise = height * 0.05
  const byPlace: Partial<Record<Place, () => string>> = {
    meadow: () =>
      hills(view, horizon, rise, far('#6aa84a', 0.5)) +
      hills(view, horizon + rise * 0.5, rise * 0.7, far('#6fb24a', 0.3)),
    farm: () =>
      hills(view, horizon, rise, far('#8fae4a', 0.5)) +
      hills(view, horizon + rise * 0.5, rise * 0.6, far('#c9b048', 0.3)),
    garden: () => trees(view, far('#4c9446', 0.35), false, 0.13),
    forest: () => trees(view, far('#3f7a46', 0.5), true, 0.26) + trees(view, far('#2f6638', 0.25), true, 0.2),
    jungle: () => trees(view, far('#2f8a4c', 0.45), false, 0.28) + trees(view, far('#1f7040', 0.2), false, 0.2),
    beach: () => water(view, horizon, horizon + height * 0.13),
    desert: () =>
      hills(view, horizon, rise * 0.8, far('#e0a860', 0.35)) +
      hills(view, horizon + rise * 0.4, rise * 0.5, far('#e6b46c', 0.15)),
    mountains: () =>
      peaks(view, height * 0.34, '#6a6f96', '#fff') + hills(view, horizon, rise * 0.6, far('#6aa84a', 0.25)),
    snow: () => hills(view, horizon, rise, far('#dfeaf6', 0.25)) + trees(view, far('#4d7a72', 0.4), true, 0.12),
    city: () => skyline(view),
    street: () => skyline(view),
    lake: () => hills(view, horizon - rise * 0.2, rise, far('#5c9a58', 0.4)),
    moon: () => hills(view, horizon, rise * 0.7, far('#8a88a0', 0.1)),
    sea: () => '',
  }
  const drawn = byPlace[setting.place]?.() ?? ''
  return setting.place === 'moon'
    ? `<rect width="${width}" height="${number(horizon + rise)}" fill="#0b0d24"/>${stars(view, 120)}${drawn}`
    : drawn
}

function water({ width, palette, random, height, style, setting }: View, from: number, to: number): string {
  const colour = palette.far(style === 'vivid' ? '#1f8fdc' : '#6fa8c2', 0.1)
  const light = palette.far(style === 'vivid' ? '#7fd6f6' : '#b4d6e0', setting.time === 'night' ? 0.5 : 0.1)
  const waves = Array.from({ length: 26 }, () => {
    const depth = random()
    const y = from + (to - from) * (0.06 + depth * 0.88)
    const w = width * (0.02 + depth * 0.06)
    const x = random() * width
    return `<path d="M${number(x)} ${number(y)}q${number(w / 2)} ${number(-height * 0.006)} ${number(w)} 0" stroke="${light}" stroke-width="${number(1.5 + depth * 2)}" fill="none" stroke-linecap="round" opacity=".7"/>`
  })
  return `<defs>${gradient('water', light, colour)}</defs><rect y="${number(from)}" width="${width}" height="${number(to - from)}" fill="url(#water)"/>${waves.join('')}`
}

function ground(view: View): string {
  const { width, height, horizon, palette, setting } = view
  const [back, front] = palette.ground
  if (setting.place === 'sea') return water(view, horizon, height)
  const land = (y: number): string =>
    `<defs>${gradient('ground', back, front)}</defs><path d="M0 ${number(y + height * 0.015)}Q${number(width / 2)} ${number(y - height * 0.015)} ${width} ${number(y + height * 0.015)}V${height}H0z" fill="url(#ground)"/>`
  if (setting.place === 'beach') return land(horizon + height * 0.1)
  if (setting.place === 'lake') return land(horizon) + pond(view)
  if (setting.place === 'street') return land(horizon) + road(view)
  return land(horizon)
}

function pond({ width, height, horizon, palette, style }: View): string {
  const colour = palette.far(style === 'vivid' ? '#2d9fe2' : '#7fb2c8', 0.05)
  const light = palette.far(style === 'vivid' ? '#8fdcf8' : '#bcdce4', 0.1)
  const middle = (horizon + height) / 2 + height * 0.035
  return `<defs>${gradient('pond', light, colour)}</defs><ellipse cx="${number(width / 2)}" cy="${number(middle)}" rx="${number(width * 0.56)}" ry="${number((height - horizon) * 0.44)}" fill="url(#pond)"/>`
}

function road({ width, height, horizon }: View): string {
  const top = horizon + (height - horizon) * 0.32
  const dashes = Array.from(
    { length: 8 },
    (_, at) =>
      `<rect x="${number(((at + 0.2) / 8) * width)}" y="${number(height * 0.965)}" width="${number(width * 0.07)}" height="${number(height * 0.01)}" fill="#fff" opacity=".75"/>`,
  )
  return `<rect y="${number(top)}" width="${width}" height="${number(height - top)}" fill="#4a4f5e" opacity=".75"/><rect y="${number(top)}" width="${width}" height="${number(height * 0.012)}" fill="#d9dce4" opacity=".8"/>${dashes.join('')}`
}

/** Grass, pebbles, flowers: only the look of the ground. */
function texture(view: View): string {
  const { width, height, horizon, palette, setting, random, detail } = view
  const [, front] = palette.ground
  const grassy: readonly Place[] = ['meadow', 'farm', 'garden', 'forest', 'jungle', 'mountains']
  const sandy: readonly Place[] = ['beach', 'desert', 'moon', 'snow']
  const from = horizon + height * (setting.place === 'beach' ? 0.14 : 0.05)
  const dark = blend(front, '#102010', 0.18)
  if (grassy.includes(setting.place)) {
    const tufts = Array.from({ length: 46 * detail }, () => {
      const depth = random()
      const y = from + (height - from) * depth
      const x = random() * width
      const h = height * (0.006 + depth * 0.014)
      return `M${number(x)} ${number(y)}l${number(-h * 0.5)} ${number(-h)}M${number(x)} ${number(y)}v${number(-h * 1.3)}M${number(x)} ${number(y)}l${number(h * 0.5)} ${number(-h)}`
    })
    return `<path d="${tufts.join('')}" stroke="${dark}" stroke-width="${number(height * 0.003)}" stroke-linecap="round" fill="none" opacity=".55"/>`
  }
  if (sandy.includes(setting.place)) {
    const dots = Array.from({ length: 60 * detail }, () => {
      const depth = random()
      return `<ellipse cx="${number(random() * width)}" cy="${number(from + (height - from) * depth)}" rx="${number(1 + depth * 4)}" ry="${number(0.6 + depth * 1.6)}"/>`
    })
    return `<g fill="${dark}" opacity=".28">${dots.join('')}</g>`
  }
  return ''
}

function space(view: View): string {
  const { width, height, random, style } = view
  const clouds = ['#5a2a9c', '#1f4fa8', '#a82f7c'].map((colour, at) => {
    const r = width * (0.3 + random() * 0.2)
    return `<radialGradient id="n${at}"><stop stop-color="${colour}" stop-opacity="${style === 'vivid' ? 0.6 : 0.3}"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>|<circle cx="${number(random() * width)}" cy="${number(random() * height)}" r="${number(r)}" fill="url(#n${at})"/>`.split(
      '|',
    )
  })
  const all = { ...view, horizon: height }
  return `<defs>${gradient('sky', '#070a22', '#161a4a')}${clouds.map(([defs]) => defs).join('')}</defs><rect width="${width}" height="${height}" fill="url(#sky)"/>${clouds.map(([, shape]) => shape).join('')}${stars(all, 170)}`
}

function underwater(view: View): string {
  const { width, height, random, style, palette, detail } = view
  const [top, bottom] = style === 'vivid' ? ['#2fb8ea', '#0a3f8f'] : ['#9cc9d8', '#4f84a2']
  const rays = Array.from({ length: 6 }, () => {
    const x = random() * width
    const w = width * (0.03 + random() * 0.06)
    return `<path d="M${number(x)} 0h${number(w)}l${number(width * 0.12)} ${height}h${number(-w * 2.4)}z" fill="#fff" opacity=".07"/>`
  })
  const bubbles = Array.from(
    { length: 26 * detail },
    () =>
      `<circle cx="${number(random() * width)}" cy="${number(random() * height * 0.9)}" r="${number(2 + random() * 7)}" fill="none" stroke="#fff" stroke-width="1.5" opacity=".45"/>`,
  )
  const weeds = Array.from({ length: 12 }, () => {
    const x = random() * width
    const h = height * (0.06 + random() * 0.1)
    return `<path d="M${number(x)} ${height}q${number(h * 0.3)} ${number(-h * 0.4)} 0 ${number(-h * 0.7)}q${number(-h * 0.3)} ${number(-h * 0.3)} 0 ${number(-h * 0.6)}" stroke="#2f8a5c" stroke-width="${number(width * 0.009)}" fill="none" stroke-linecap="round" opacity=".75"/>`
  })
  const [sand, dark] = palette.ground
  return `<defs>${gradient('sky', top ?? '', bottom ?? '')}${gradient('ground', sand, dark)}</defs><rect width="${width}" height="${height}" fill="url(#sky)"/>${rays.join('')}<path d="M0 ${number(height * 0.92)}Q${number(width * 0.3)} ${number(height * 0.86)} ${number(width * 0.6)} ${number(height * 0.91)}T${width} ${number(height * 0.9)}V${height}H0z" fill="url(#ground)"/>${weeds.join('')}${bubbles.join('')}`
}

function shadows({ placed, style, setting }: View): string {
  const opacity = style === 'vivid' ? 0.34 : 0.2
  const dark = setting.place === 'snow' ? '#5a78a8' : '#1c1430'
  return placed
    .filter(({ isGrounded }) => isGrounded)
    .map(({ x, y, width, height }) => {
      const ry = Math.min(width * 0.09, height * 0.12)
      return `<ellipse cx="${number(x + width / 2 + width * 0.04)}" cy="${number(y + height - ry * 0.25)}" rx="${number(width * 0.52)}" ry="${number(ry)}" fill="${dark}" opacity="${opacity}"/>`
    })
    .join('')
}

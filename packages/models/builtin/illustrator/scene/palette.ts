// Colours of skies and grounds by place, time and weather.
import type { PictureStyle } from '../../../draw.ts'
import { blend } from '../art/colour.ts'
import type { Place, Setting, Time } from '../words/settings.ts'

export interface Sky {
  top: string
  bottom: string
  glow: string
}

const skies: Record<PictureStyle, Record<Time, Sky>> = {
  vivid: {
    day: { top: '#2f8fef', bottom: '#c9f0ff', glow: '#fff6c8' },
    sunrise: { top: '#5a7bd8', bottom: '#ffd9a0', glow: '#fff0b8' },
    sunset: { top: '#4a2a86', bottom: '#ff9a4d', glow: '#ffd35c' },
    night: { top: '#0b1038', bottom: '#34408f', glow: '#9fb4ff' },
  },
  natural: {
    day: { top: '#9cc7e3', bottom: '#e9f3f4', glow: '#fdf8e4' },
    sunrise: { top: '#a8bcd6', bottom: '#f8e0c4', glow: '#fff3d6' },
    sunset: { top: '#8d7fa8', bottom: '#f3bd92', glow: '#fbdca8' },
    night: { top: '#232c4d', bottom: '#4d5a85', glow: '#c8d2ee' },
  },
}

const grounds: Record<PictureStyle, Partial<Record<Place, [string, string]>>> = {
  vivid: {
    meadow: ['#7fd34a', '#3f9e35'],
    farm: ['#a8d04a', '#6f9e35'],
    garden: ['#76d460', '#3a9648'],
    forest: ['#5fae4a', '#2c6b38'],
    jungle: ['#4fb24e', '#1f6a3c'],
    beach: ['#ffe3a1', '#eebb6a'],
    desert: ['#f8cf83', '#dc9448'],
    mountains: ['#8ec95f', '#4b8f4a'],
    snow: ['#ffffff', '#cfe2f7'],
    city: ['#9aa2b2', '#6d7488'],
    street: ['#8b91a1', '#5d6274'],
    moon: ['#c9c7d6', '#86839c'],
    sea: ['#39a9e8', '#0f5fae'],
    lake: ['#7fd34a', '#3f9e35'],
    room: ['#c98d5e', '#9a6138'],
    kitchen: ['#e2d2c0', '#bba48c'],
    bedroom: ['#cf9d78', '#a06f4c'],
    classroom: ['#d7a56c', '#a97a46'],
    library: ['#a06a43', '#6f4329'],
    stage: ['#a85b36', '#6d331c'],
    tabletop: ['#d39a66', '#a86a3c'],
    plain: ['#f1eef6', '#d9d3e6'],
    underwater: ['#e6cf9a', '#b7a06a'],
  },
  natural: {
    meadow: ['#a9c48a', '#7fa069'],
    farm: ['#c2c48a', '#9aa06a'],
    garden: ['#a5c591', '#7ba072'],
    forest: ['#8fab7d', '#64825c'],
    jungle: ['#88ad80', '#5a8460'],
    beach: ['#f0e0bd', '#dbc193'],
    desert: ['#ecd3a4', '#d2ab78'],
    mountains: ['#aac294', '#839f76'],
    snow: ['#fafcfe', '#dce6ee'],
    city: ['#b9bdc6', '#979ca8'],
    street: ['#acb0b9', '#878c98'],
    moon: ['#cfcdd6', '#a4a2b0'],
    sea: ['#86b9cf', '#5a8fae'],
    lake: ['#a9c48a', '#7fa069'],
    room: ['#cfae90', '#ac8866'],
    kitchen: ['#e4dacd', '#c8baa8'],
    bedroom: ['#d2b59c', '#b1907a'],
    classroom: ['#d6bb96', '#b59a76'],
    library: ['#b08e74', '#8a6b56'],
    stage: ['#b08268', '#855c48'],
    tabletop: ['#d6b593', '#b8916c'],
    plain: ['#f4f2ee', '#e2ded6'],
    underwater: ['#d9cda8', '#b8aa84'],
  },
}

const walls: Partial<Record<Place, [string, string]>> = {
  room: ['#ffe9c9', '#f4cf9c'],
  kitchen: ['#e3f4f1', '#b9ded8'],
  bedroom: ['#e4dbf7', '#c6b6ea'],
  classroom: ['#f6efd6', '#e6d8ac'],
  library: ['#e9d3b4', '#c9a678'],
  stage: ['#7a1530', '#3c0a1e'],
  tabletop: ['#eaf3f8', '#c4dcea'],
  plain: ['#ffffff', '#f0ecf7'],
}

export const isIndoors = (place: Place): boolean => walls[place] !== undefined

const nightShade: Record<Time, { towards: string; share: number }> = {
  day: { towards: '#ffffff', share: 0 },
  sunrise: { towards: '#ffb27a', share: 0.1 },
  sunset: { towards: '#5a2a5c', share: 0.28 },
  night: { towards: '#0d1440', share: 0.55 },
}

export interface Palette {
  sky: Sky
  ground: [string, string]
  wall: [string, string] | undefined
  /** For hills and trees far away. */
  far(colour: string, distance: number): string
}

export function paletteFor(place: Place, { time, weather }: Omit<Setting, 'place'>, style: PictureStyle): Palette {
  const grey =
    weather === 'rain' || weather === 'storm'
      ? 0.55
      : weather === 'cloudy' || weather === 'fog' || weather === 'snow'
        ? 0.4
        : 0
  const dull = time === 'night' ? '#2a3050' : weather === 'storm' ? '#4c5568' : '#a9b6c4'
  const base = skies[style][time]
  const sky: Sky = { top: blend(base.top, dull, grey), bottom: blend(base.bottom, dull, grey * 0.7), glow: base.glow }
  const shade = nightShade[time]
  const shaded = (colour: string): string => blend(blend(colour, shade.towards, shade.share), dull, grey * 0.25)
  const [front, back] = grounds[style][place] ?? ['#a9c48a', '#7fa069']
  const wall = walls[place]
  const muted = (colour: string): string => (style === 'natural' ? blend(colour, '#d8d4cc', 0.25) : colour)
  return {
    sky,
    ground: isIndoors(place) ? [front, back] : [shaded(front), shaded(back)],
    wall: wall && [muted(wall[0]), muted(wall[1])],
    far: (colour, distance) => blend(shaded(colour), sky.bottom, distance),
  }
}

// Drawings for what the icon sets lack. Each says its box, the main colour that a prompt may change, and how it is drawn.
import type { PictureStyle } from '../../../draw.ts'
import { Brush } from './brush.ts'
import { blend } from './colour.ts'

export interface OwnArt {
  width: number
  height: number
  colour: string
  draw(fill: (colour: string) => string, colour: string): string
}

type Draw = OwnArt['draw']

const art = (width: number, height: number, colour: string, draw: Draw): OwnArt => ({ width, height, colour, draw })
const rect = (x: number, y: number, w: number, h: number, fill: string, r = 0): string =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}" fill="${fill}"/>`
const circle = (x: number, y: number, r: number, fill: string): string =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`
const oval = (x: number, y: number, rx: number, ry: number, fill: string): string =>
  `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"/>`
const path = (d: string, fill: string): string => `<path d="${d}" fill="${fill}"/>`
const line = (d: string, stroke: string, width: number): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`

const darker = (colour: string, share = 0.25): string => blend(colour, '#1c1033', share)
const lighter = (colour: string, share = 0.3): string => blend(colour, '#ffffff', share)

const furniture: Record<string, OwnArt> = {
  table: art(64, 26, '#a56953', (fill, c) =>
    [
      rect(6, 5, 5, 21, fill(darker(c))),
      rect(53, 5, 5, 21, fill(darker(c))),
      rect(4, 5, 56, 4, darker(c, 0.4)),
      rect(0, 0, 64, 6, fill(c), 2),
    ].join(''),
  ),
  bench: art(56, 26, '#a56953', (fill, c) =>
    [
      rect(6, 2, 3, 24, '#533566', 1),
      rect(47, 2, 3, 24, '#533566', 1),
      rect(2, 1, 52, 4, fill(c), 1.5),
      rect(2, 7, 52, 4, fill(c), 1.5),
      rect(0, 14, 56, 5, fill(lighter(c, 0.12)), 2),
    ].join(''),
  ),
  armchair: art(36, 32, '#3f5fff', (fill, c) =>
    [
      rect(4, 28, 3, 4, '#6d4534'),
      rect(29, 28, 3, 4, '#6d4534'),
      rect(5, 0, 26, 22, fill(c), 6),
      rect(0, 10, 9, 19, fill(darker(c)), 4.5),
      rect(27, 10, 9, 19, fill(darker(c)), 4.5),
      rect(7, 16, 22, 12, fill(lighter(c, 0.15)), 3),
    ].join(''),
  ),
  bookshelf: art(34, 44, '#a56953', (fill, c) => {
    const spines = ['#f8312f', '#00a6ed', '#fcd53f', '#8d65c5', '#44911b', '#ff822d', '#3f5fff', '#ca0b4a']
    const row = (y: number, from: number): string =>
      Array.from({ length: 7 }, (_, at) => {
        const tall = 7.5 + ((at * 5 + from) % 3)
        return rect(4 + at * 3.8, y - tall, 3.2, tall, fill(spines[(at + from) % spines.length] ?? c), 0.5)
      }).join('')
    const boards = [13.5, 27, 40.5].map((y, at) => rect(3, y - 12, 28, 12, darker(c, 0.55)) + row(y, at * 3)).join('')
    return rect(0, 0, 34, 44, fill(c), 1.5) + boards
  }),
  lamp: art(24, 32, '#fcd53f', (fill, c) =>
    [
      rect(10.8, 14, 2.4, 14, fill('#7d4533')),
      oval(12, 29.5, 7, 2.5, fill('#7d4533')),
      path('M6 1h12l5 15H1z', fill(c)),
    ].join(''),
  ),
  rug: art(
    64,
    12,
    '#ca0b4a',
    (fill, c) => oval(32, 6, 32, 6, fill(c)) + oval(32, 6, 25, 4.2, lighter(c, 0.4)) + oval(32, 6, 18, 3, fill(c)),
  ),
  piano: art(44, 36, '#321b41', (fill, c) => {
    const keys = Array.from({ length: 13 }, (_, at) => rect(5 + at * 2.65, 19, 2.3, 4.5, '#f4f4f4')).join('')
    return [
      rect(4, 24, 4, 12, fill(darker(c))),
      rect(36, 24, 4, 12, fill(darker(c))),
      rect(2, 0, 40, 20, fill(c), 2),
      rect(0, 17, 44, 8, fill(lighter(c, 0.1)), 1),
      keys,
      rect(14, 5, 16, 9, lighter(c, 0.85), 1),
    ].join('')
  }),
  barrel: art(26, 32, '#a56953', (fill, c) =>
    [
      path('M4 1h18q6 15 0 30H4Q-2 16 4 1z', fill(c)),
      line('M9 1q-3 15 0 30M17 1q3 15 0 30', darker(c), 0.8),
      line('M3 7.5h20M3 24.5h20', '#636363', 2.4),
    ].join(''),
  ),
  'treasure-chest': art(36, 30, '#8f5a3c', (fill, c) =>
    [
      rect(1, 12, 34, 18, fill(c), 2),
      path('M1 13a17 13 0 0 1 34 0z', fill(lighter(c, 0.15))),
      rect(1, 12, 34, 3, '#fcd53f'),
      rect(6, 3, 3, 27, '#f9c23c'),
      rect(27, 3, 3, 27, '#f9c23c'),
      rect(15, 10, 6, 8, '#fcd53f', 1.5),
      circle(18, 14, 1.3, '#533566'),
    ].join(''),
  ),
  vase: art(
    22,
    32,
    '#3f8fd6',
    (fill, c) =>
      path('M7 0h8v3q-1 4 3 8 5 5 2 13-2 7-9 8-7-1-9-8-3-8 2-13 4-4 3-8z', fill(c)) +
      line('M3.4 16.5h15.2M2.2 20.5h17.6', lighter(c, 0.6), 1.3),
  ),
}

const outdoors: Record<string, OwnArt> = {
  bush: art(
    40,
    24,
    '#44911b',
    (fill, c) =>
      circle(9, 15, 9, fill(c)) +
      circle(31, 15, 9, fill(c)) +
      circle(20, 11, 11, fill(lighter(c, 0.08))) +
      rect(6, 14, 28, 10, fill(c), 5),
  ),
  barn: art(48, 42, '#d3352e', (fill, c) =>
    [
      path('M4 20 10 8 24 1l14 7 6 12v22H4z', fill(c)),
      line('M2 21 9 8 24 1l15 7 7 13', '#f4f4f4', 2.5),
      rect(15, 22, 18, 20, '#f4f4f4'),
      rect(16.5, 23.5, 15, 18.5, fill(darker(c))),
      line('M16.5 23.5 31.5 42M31.5 23.5 16.5 42', '#f4f4f4', 1.6),
      rect(20, 10, 8, 7, '#f4f4f4', 0.5),
      rect(21, 11, 6, 5, '#533566'),
    ].join(''),
  ),
  lighthouse: art(28, 64, '#f8312f', (fill, c) =>
    [
      path('M7 20h14l4 40H3z', fill('#f4f4f4')),
      path('M6.4 27h15.2l.9 9H5.5zM4.8 44h18.4l.9 9H3.9z', fill(c)),
      rect(5, 17, 18, 3.4, '#533566', 1),
      rect(9, 9, 10, 8, fill('#fcd53f')),
      path('M7 9 14 1l7 8z', fill(c)),
      path('M11 60v-6a3 3 0 0 1 6 0v6z', '#533566'),
      rect(0, 59, 28, 5, fill('#9b9b9b'), 1.5),
    ].join(''),
  ),
  windmill: art(50, 60, '#e6d3bd', (fill, c) => {
    const sail = (turn: number): string =>
      `<g transform="rotate(${turn} 25 22)">${rect(24.2, 2, 1.6, 20, '#6d4534')}${rect(25.8, 3, 5.5, 15, fill('#f4f4f4'), 0.8)}</g>`
    return [
      path('M17 24h16l5 36H12z', fill(c)),
      path('M15 25a10 11 0 0 1 20 0z', fill('#d3883e')),
      path('M21 60v-9a4 4 0 0 1 8 0v9z', '#7d4533'),
      rect(22.5, 34, 5, 6, '#83cbff', 1),
      ...[20, 110, 200, 290].map(sail),
      circle(25, 22, 2.6, '#6d4534'),
    ].join('')
  }),
  tower: art(26, 60, '#9b9b9b', (fill, c) =>
    [
      rect(3, 14, 20, 46, fill(c)),
      path('M0 6h5v4h5V6h6v4h5V6h5v11H0z', fill(lighter(c, 0.1))),
      path('M10 30a3 3 0 0 1 6 0v5h-6zM9.5 60V51a3.5 3.5 0 0 1 7 0v9z', '#533566'),
    ].join(''),
  ),
  pyramid: art(
    60,
    40,
    '#e2b04a',
    (fill, c) =>
      path('M30 0 60 40H0z', fill(c)) +
      path('M30 0 60 40H40z', darker(c, 0.22)) +
      line('M22 11h12M15 20h22M8 30h30', darker(c, 0.15), 0.7),
  ),
  igloo: art(48, 28, '#d9ecfb', (fill, c) =>
    [
      path('M2 28a22 26 0 0 1 44 0z', fill(c)),
      line('M5 20h38M11 11h26M24 3v8M16 11v9M32 11v9M10 20v8M38 20v8', darker(c, 0.18), 0.8),
      path('M15 28v-6a9 9 0 0 1 18 0v6z', fill(lighter(c, 0.2))),
      path('M18 28v-5a6 6 0 0 1 12 0v5z', '#27436b'),
    ].join(''),
  ),
  fence: art(64, 22, '#c98f62', (fill, c) => {
    const posts = Array.from({ length: 8 }, (_, at) => path(`M${1.5 + at * 8} 22V4l2.5-3 2.5 3v18z`, fill(c))).join('')
    return rect(0, 7, 64, 3, darker(c)) + rect(0, 15, 64, 3, darker(c)) + posts
  }),
  bridge: art(
    80,
    30,
    '#a8705a',
    (fill, c) =>
      path('M0 14Q40-8 80 14v16H68a28 20 0 0 0-56 0H0z', fill(c)) +
      line('M0 11Q40-11 80 11', darker(c), 2.4) +
      line('M12 30a28 20 0 0 1 56 0', darker(c), 1.5),
  ),
  lamppost: art(16, 52, '#533566', (fill, c) =>
    [
      rect(6.8, 12, 2.4, 38, fill(c)),
      rect(3.5, 48, 9, 4, fill(c), 1),
      path('M4 3h8l2 9H2z', fill('#ffe07a')),
      path('M2.5 3 8 0l5.5 3z', c),
      rect(2, 11.5, 12, 1.8, c, 0.6),
    ].join(''),
  ),
  'traffic-light': art(18, 52, '#3b3f4a', (fill, c) =>
    [
      rect(7.8, 30, 2.4, 22, fill('#636363')),
      rect(1, 0, 16, 32, fill(c), 3),
      circle(9, 6, 4, '#f8312f'),
      circle(9, 16, 4, '#fcd53f'),
      circle(9, 26, 4, '#00d26a'),
    ].join(''),
  ),
  mountain: art(80, 50, '#7c6f8f', (fill, c) =>
    [
      path('M0 50 28 6q3-5 6 0l12 18 6-8q3-3 5 0l23 34z', fill(c)),
      path('M31 3q-2 0-3 3L18 22l6 3 5-4 5 5 6-4-6-16q-1-3-3-3z', '#ffffff'),
      path('M34 6 46 24 36 50h44L57 16q-2-3-5 0l-6 8z', darker(c, 0.18)),
      path('M54.5 15l-8 9 5 2 4-2 5 3 2-3-5.5-8q-1-2-2.5-1z', '#eef3fb'),
    ].join(''),
  ),
  sign: art(
    48,
    40,
    '#f3e3c3',
    (fill, c) =>
      rect(9, 20, 4, 20, fill('#7d4533')) +
      rect(35, 20, 4, 20, fill('#7d4533')) +
      rect(0, 0, 48, 26, fill('#7d4533'), 2.5) +
      rect(2, 2, 44, 22, fill(c), 1.5),
  ),
  banner: art(
    72,
    24,
    '#f8312f',
    (fill, c) => path('M0 8h12v16H0l5-8zM72 8H60v16h12l-5-8z', fill(darker(c))) + rect(8, 2, 56, 18, fill(c), 1),
  ),
  'hot-air-balloon': art(40, 54, '#f8312f', (fill, c) =>
    [
      path('M20 0c12 0 20 9 20 19 0 9-8 15-13 22H13C8 34 0 28 0 19 0 9 8 0 20 0z', fill(c)),
      path('M20 0c5 0 8 9 8 19 0 9-3 15-5 22h-6c-2-7-5-13-5-22C12 9 15 0 20 0z', fill('#fcd53f')),
      line('M14 41l2 6M26 41l-2 6', '#6d4534', 0.8),
      rect(14, 46, 12, 8, fill('#a56953'), 1.5),
      rect(14, 46, 12, 2, '#7d4533', 1),
    ].join(''),
  ),
  submarine: art(56, 30, '#fcd53f', (fill, c) =>
    [
      rect(22, 2, 12, 10, fill(darker(c, 0.12)), 2),
      line('M29 3V0h6', '#636363', 1.6),
      rect(4, 9, 46, 20, fill(c), 10),
      path('M6 19 0 11v16z', fill('#ff822d')),
      ...[16, 27, 38].map((x) => circle(x, 18, 4, '#636363') + circle(x, 18, 2.8, '#83cbff')),
    ].join(''),
  ),
}

const things: Record<string, OwnArt> = {
  cake: art(44, 26, '#f7b6c8', (fill, c) =>
    [
      oval(22, 24, 22, 2, '#e6e6e6'),
      rect(3, 4, 38, 20, fill('#e9c48f'), 3),
      rect(3, 13, 38, 3, '#fff3dc'),
      path('M3 4q0-4 4-4h30q4 0 4 4v5q-2 3-4.5 0t-5 1-5-1-5 1-5-1-5 1-4.5-1-3-1z', fill(c)),
    ].join(''),
  ),
  'party-hat': art(
    24,
    26,
    '#8d65c5',
    (fill, c) =>
      path('M12 2 23 25q-11 3-22 0z', fill(c)) +
      circle(12, 3, 3, '#fcd53f') +
      circle(9, 20, 1.8, '#fcd53f') +
      circle(14.5, 15, 1.6, '#fcd53f') +
      circle(16, 22, 1.5, '#fcd53f'),
  ),
  'beach-ball': art(32, 32, '#f8312f', (fill, c) =>
    [
      circle(16, 16, 16, fill('#f4f4f4')),
      path(
        'M16 16 5 4.4a16 16 0 0 1 15-3.9zM16 16l15.6-3.5A16 16 0 0 1 26 28.5zM16 16l-2.5 15.8A16 16 0 0 1 .8 20.8z',
        fill(c),
      ),
      circle(16, 16, 2.5, '#f4f4f4'),
    ].join(''),
  ),
  pumpkin: art(36, 30, '#ff822d', (fill, c) =>
    [
      path('M16 0h5l-1 7h-4z', fill('#44911b')),
      oval(9, 18, 9, 11.5, fill(darker(c, 0.12))),
      oval(27, 18, 9, 11.5, fill(darker(c, 0.12))),
      oval(18, 18, 10, 12.5, fill(c)),
    ].join(''),
  ),
  cube: art(
    32,
    34,
    '#3f8fd6',
    (fill, c) =>
      path('M16 0 32 8 16 16 0 8z', lighter(c, 0.32)) +
      path('M0 8 16 16v18L0 26z', fill(c)) +
      path('M32 8 16 16v18l16-8z', darker(c, 0.28)),
  ),
  sphere: art(32, 32, '#3f8fd6', (fill, c) => circle(16, 16, 16, fill(c)) + oval(10.5, 9, 4.5, 3.2, lighter(c, 0.65))),
  cone: art(
    30,
    34,
    '#3f8fd6',
    (fill, c) => path('M15 0 30 29q-15 9-30 0z', fill(c)) + path('M15 0 30 29q-5 3.5-10 4.3z', darker(c, 0.22)),
  ),
  cylinder: art(
    26,
    34,
    '#3f8fd6',
    (fill, c) => path('M0 5v24a13 5 0 0 0 26 0V5z', fill(c)) + oval(13, 5, 13, 5, lighter(c, 0.3)),
  ),
  circle: art(32, 32, '#3f8fd6', (fill, c) => circle(16, 16, 16, fill(c))),
  square: art(32, 32, '#3f8fd6', (fill, c) => rect(0, 0, 32, 32, fill(c), 1)),
  triangle: art(36, 32, '#3f8fd6', (fill, c) => path('M18 0 36 32H0z', fill(c))),
  rectangle: art(44, 28, '#3f8fd6', (fill, c) => rect(0, 0, 44, 28, fill(c), 1)),
}

const all: Readonly<Record<string, OwnArt>> = { ...furniture, ...outdoors, ...things }

export const hasOwnArt = (name: string): boolean => Object.hasOwn(all, name)

/** A whole SVG picture. Undefined: there is none of this name. */
export function ownArt(
  name: string,
  style: PictureStyle,
  colour?: string,
): { svg: string; width: number; height: number } | undefined {
  const found = Object.hasOwn(all, name) ? all[name] : undefined
  if (found === undefined) return undefined
  const brush = new Brush(style)
  const body = found.draw((one) => brush.fill(one), colour ?? found.colour)
  const { width, height } = found
  return {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${brush.defs()}${body}</svg>`,
    width,
    height,
  }
}

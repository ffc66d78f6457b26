// Fills for our own drawings: one colour in the plain style, light falling from the upper left in the vivid one.
import type { PictureStyle } from '../../../draw.ts'
import { mix, toHex } from './colour.ts'

export class Brush {
  readonly #style: PictureStyle
  readonly #gradients = new Map<string, string>()

  constructor(style: PictureStyle) {
    this.#style = style
  }

  /** For a `fill` attribute. */
  fill(colour: string): string {
    if (this.#style === 'natural') return colour
    const known = this.#gradients.get(colour)
    if (known !== undefined) return `url(#${known})`
    const id = `b${this.#gradients.size}`
    this.#gradients.set(colour, id)
    return `url(#${id})`
  }

  /** To stand before what uses the fills. */
  defs(): string {
    const all = [...this.#gradients].map(([colour, id]) => {
      const light = toHex(mix(colour, '#ffffff', 0.22))
      const dark = toHex(mix(colour, '#3a1d5c', 0.28))
      return `<linearGradient id="${id}" x1="0" y1="0" x2=".7" y2="1"><stop stop-color="${light}"/><stop offset=".5" stop-color="${colour}"/><stop offset="1" stop-color="${dark}"/></linearGradient>`
    })
    return `<defs>${all.join('')}</defs>`
  }
}

// What the parts of a backdrop know of the picture.
import type { PictureQuality, PictureSize, PictureStyle } from '../../../draw.ts'
import type { Setting } from '../words/settings.ts'
import type { Placed } from './compose.ts'
import type { Palette } from './palette.ts'
import type { Random } from './random.ts'

export interface BackdropOptions {
  size: PictureSize
  setting: Setting
  style: PictureStyle
  quality: PictureQuality
  horizon: number
  placed: readonly Placed[]
  /** Named in the prompt and drawn as things: the backdrop has none of its own. */
  hasSun: boolean
  hasMoon: boolean
  hasClouds: boolean
  random: Random
}

export interface View extends BackdropOptions {
  width: number
  height: number
  palette: Palette
  /** Twice as much of what is only texture. */
  detail: number
}

/** As SVG has it: a tenth of a pixel is enough. */
export const number = (value: number): string => value.toFixed(1)

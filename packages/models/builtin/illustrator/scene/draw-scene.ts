// A prompt becomes a picture.
import type { PictureQuality, PictureSize, PictureStyle } from '../../../draw.ts'
import type { Sprites } from '../art/sprites.ts'
import type { Description } from '../words/description.ts'
import type { Setting } from '../words/settings.ts'
import { isAnimal } from './anatomy.ts'
import { backdropSvg } from './backdrop.ts'
import { Canvas } from './canvas.ts'
import { type Composition, compose, type Placed } from './compose.ts'
import { describeScene } from './describe-scene.ts'
import { foreground } from './foreground.ts'
import { letteringOn, titleSvg } from './lettering.ts'
import { seeded } from './random.ts'

/** Large enough to tell width from height. */
const measuringPixels = 64
/** The colour of faces and hands: what is red about a man in red is not his skin. */
const skinHue = 45
/** Nor is a yellow bus yellow in its windows. */
const windowHue = 205

export interface SceneOptions {
  size: PictureSize
  style: PictureStyle
  quality: PictureQuality
  seed: string
  /** What the things are drawn upon, in place of a sky and a ground. */
  backdrop?: Canvas
}

export interface DrawnScene {
  canvas: Canvas
  /** What was drawn, in words. */
  told: string
}

export async function drawScene(
  description: Description,
  options: SceneOptions,
  sprites: Sprites,
): Promise<DrawnScene> {
  const { size, style, quality, seed } = options
  const random = seeded(seed)
  const aspects = await aspectsOf(description, sprites)
  const composition = compose(description, aspects, size, random)
  const setting = settingOf(description, composition)
  const arts = description.things.map(({ thing }) => thing.art)
  const view = {
    ...{ size, setting, style, quality, random, horizon: composition.horizon, placed: composition.placed },
    hasSun: arts.includes('sun'),
    hasMoon: arts.some((art) => /moon/.test(art)),
    hasClouds: arts.includes('cloud'),
  }
  const backdrop = options.backdrop ?? Canvas.fromSvg(backdropSvg(view), size)
  const [canvas] = await Promise.all([backdrop, warm(composition.placed, description, style, sprites)])
  await paint(canvas, composition.placed, description, style, sprites)
  await overlay(canvas, composition, description, setting, random)
  return { canvas, told: describeScene(description, setting, style) }
}

async function aspectsOf({ things }: Description, sprites: Sprites): Promise<number[]> {
  return Promise.all(
    things.map(async ({ thing }) => {
      const { width, height } = await sprites.get({ art: thing.art, style: 'natural' }, measuringPixels)
      return width / height
    }),
  )
}

function settingOf({ setting, things }: Description, { place }: Pick<Composition, 'place'>): Setting {
  // The moon and the stars are seen at night, unless something else is said.
  const isNight = things.some(({ thing }) => /moon|^star$|glowing-star/.test(thing.art))
  const { time = isNight ? 'night' : 'day', weather = 'clear' } = setting
  return { place, time, weather }
}

const look = ({ index, colour }: Placed, { things }: Description, style: PictureStyle) => {
  const thing = things[index]?.thing
  const spare = thing?.home === 'p' ? [skinHue] : thing?.home === 'g' ? [windowHue] : undefined
  const isWhole = thing !== undefined && isAnimal(thing)
  return { art: thing?.art ?? '', style, ...(colour === undefined ? {} : { colour, spare, isWhole }) }
}

/** Before it is cut, art has some air around it. */
const sideOf = (placed: Placed, aspect: { width: number; height: number }): number =>
  Math.max(
    8,
    Math.round((Math.max(placed.width, placed.height) * measuringPixels) / Math.max(aspect.width, aspect.height)),
  )

async function spriteOf(placed: Placed, description: Description, style: PictureStyle, sprites: Sprites) {
  const thing = description.things[placed.index]?.thing
  const measured = await sprites.get({ art: thing?.art ?? '', style: 'natural' }, measuringPixels)
  return sprites.get(look(placed, description, style), sideOf(placed, measured))
}

/** Sprites are made side by side. */
async function warm(
  placed: readonly Placed[],
  description: Description,
  style: PictureStyle,
  sprites: Sprites,
): Promise<void> {
  await Promise.all(placed.map((one) => spriteOf(one, description, style, sprites)))
}

async function paint(
  canvas: Canvas,
  placed: readonly Placed[],
  description: Description,
  style: PictureStyle,
  sprites: Sprites,
): Promise<void> {
  for (const one of placed) {
    const sprite = await spriteOf(one, description, style, sprites)
    const stretched =
      sprite.width / sprite.height < (one.width / one.height) * 0.9
        ? await sprites.stretch(sprite, one.width, one.height)
        : sprite
    canvas.put(
      stretched,
      one.x + (one.width - stretched.width) / 2,
      one.y + one.height - stretched.height,
      one.isMirrored,
    )
  }
}

async function overlay(
  canvas: Canvas,
  { placed, titleHeight }: Composition,
  { things, title }: Description,
  setting: Setting,
  random: () => number,
): Promise<void> {
  const { width, height } = canvas
  const letters = placed.flatMap((one) => {
    const described = things[one.index]
    return described?.lettering === undefined ? [] : [letteringOn(described.thing.art, one, described.lettering)]
  })
  if (title !== undefined) letters.push(titleSvg(title, { x: 0, y: height * 0.01, width, height: titleHeight }))
  const weather = foreground({ width, height }, setting.weather, random)
  if (letters.length === 0 && weather === undefined) return
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${letters.join('')}${weather ?? ''}</svg>`
  await canvas.putSvg(svg, letters.length > 0)
}

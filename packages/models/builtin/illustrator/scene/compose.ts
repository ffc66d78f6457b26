// Where everything goes in the frame: rows on the ground, rows in the sky, nothing cut off and nothing hidden.
import type { PictureSize } from '../../../draw.ts'
import type { Described, Description } from '../words/description.ts'
import type { Place } from '../words/settings.ts'
import { type Aspects, arrange, type Block, BlockBuilder, type Item, widthOf } from './blocks.ts'
import type { Random } from './random.ts'

export interface Placed extends Item {
  /** Pixels from the upper left; `y` is the top. */
  isMirrored: boolean
}

export interface Composition {
  place: Place
  /** From nearest to the ground's back to the front. */
  placed: Placed[]
  /** Pixels from the top. */
  horizon: number
  /** The band that the title has for itself. */
  titleHeight: number
}

/** Shares of the frame. */
const margin = 0.045
const floor = 0.93
const titleShare = 0.17
const biggest = { alone: 0.58, together: 0.58, underSky: 0.46, sky: 0.3, skyAlone: 0.46 }
const floating: readonly Place[] = ['space', 'underwater']
const maxRows = 4
const rowGap = 1.04

export function placeOf({ things, setting }: Description): Place {
  if (setting.place !== undefined) return setting.place
  const roots = things.filter(({ relation }) => relation === undefined || relation.kind === 'beside')
  const homes = new Set((roots.length > 0 ? roots : things).map(({ thing }) => thing.home))
  const only = (...allowed: string[]): boolean => [...homes].every((home) => allowed.includes(home)) && homes.size > 0
  if (setting.weather === 'snow') return 'snow'
  if (homes.has('c') && only('c', 's', 'p')) return 'space'
  if (only('u')) return 'underwater'
  if (only('w') || (homes.has('w') && only('w', 's', 'u', 'f')))
    return things.some(({ thing }) => /duck|swan|lotus/.test(thing.name)) ? 'lake' : 'sea'
  if (
    things.length > 0 &&
    things.every(({ thing }) => /^own:(cube|sphere|cone|cylinder|circle|square|triangle|rectangle)$/.test(thing.art))
  )
    return 'plain'
  if (only('t', 'h') && setting.time === undefined && setting.weather === undefined) return 'tabletop'
  const isIndoors = things.some(({ thing }) =>
    /^own:(table|armchair|bookshelf|lamp|rug|piano)$|^(couch-and-lamp|bed|bathtub|television|desktop-computer|toilet)$/.test(
      thing.art,
    ),
  )
  const isOutdoors =
    things.some(
      ({ thing }) => ['b', 's', 'w'].includes(thing.home) && !/bookshelf|door|window|ladder|shower/.test(thing.art),
    ) || setting.weather !== undefined
  if (isIndoors && !isOutdoors) return 'room'
  if (things.some(({ thing }) => /tractor|barn|^cow$|rooster|^pig$/.test(thing.art))) return 'farm'
  if (
    things.some(({ thing }) =>
      /traffic-light|bus$|taxi|police-car|tram|lamppost|fire-engine|stop-sign|office-building/.test(thing.art),
    )
  )
    return 'street'
  return 'meadow'
}

export function compose(description: Description, aspects: Aspects, size: PictureSize, random: Random): Composition {
  const { things, title } = description
  const place = placeOf(description)
  const arrangement = arrange(things)
  const builder = new BlockBuilder(things, aspects, arrangement)
  const titleHeight = title === undefined ? 0 : size.height * titleShare
  const ordered = bySpot(arrangement.roots, things)
  const isSky = (index: number): boolean => !floating.includes(place) && isSkyThing(things, index)
  const ground = ordered.filter((index) => !isSky(index)).map((index) => ({ index, block: builder.build(index) }))
  const sky = ordered.filter(isSky).map((index) => ({ index, block: builder.build(index) }))
  const frame = { width: size.width, height: size.height, top: titleHeight + size.height * margin }
  const layout = new Layout(frame, things, place, random)
  const onGround = layout.ground(ground, sky.length > 0)
  const groundTop = Math.min(...onGround.placed.map(({ y }) => y), size.height * (ground.length > 0 ? 0.62 : 0.86))
  const inSky = layout.sky(sky, groundTop, ground.length === 0)
  return { place, placed: [...inSky, ...onGround.placed], horizon: onGround.horizon, titleHeight }
}

interface Root {
  index: number
  block: Block
}

interface Frame extends PictureSize {
  top: number
}

function isSkyThing(things: readonly Described[], index: number): boolean {
  const described = things[index]
  if (described === undefined) return false
  if (described.spot === 'sky') return true
  const { home, name } = described.thing
  return home === 's' || home === 'c' || (home === 'f' && !/owl|parrot/.test(name) && things.length > 1)
}

/** What is to be on the left comes first; what is said to be in the middle, in the middle. */
function bySpot(roots: readonly number[], things: readonly Described[]): number[] {
  const spot = (index: number) => things[index]?.spot
  const rest = roots.filter((index) => !['left', 'right', 'middle'].includes(spot(index) ?? ''))
  const middle = roots.filter((index) => spot(index) === 'middle')
  const half = Math.ceil(rest.length / 2)
  return [
    ...roots.filter((index) => spot(index) === 'left'),
    ...rest.slice(0, half),
    ...middle,
    ...rest.slice(half),
    ...roots.filter((index) => spot(index) === 'right'),
  ]
}

class Layout {
  readonly #frame: Frame
  readonly #things: readonly Described[]
  readonly #place: Place
  readonly #random: Random

  constructor(frame: Frame, things: readonly Described[], place: Place, random: Random) {
    this.#frame = frame
    this.#things = things
    this.#place = place
    this.#random = random
  }

  ground(roots: readonly Root[], isUnderSky: boolean): { placed: Placed[]; horizon: number } {
    const { width, height, top } = this.#frame
    const isFloating = floating.includes(this.#place)
    if (roots.length === 0) return { placed: [], horizon: height * (this.#place === 'tabletop' ? 0.7 : 0.72) }
    const bottom = height * (isFloating ? 1 - margin * 1.6 : floor)
    const room = bottom - Math.max(top, isUnderSky ? height * 0.38 : 0)
    const most = height * (isUnderSky ? biggest.underSky : roots.length === 1 ? biggest.alone : biggest.together)
    const { rows, scale } = bestRows(this.#split(roots), { width: width * (1 - 2 * margin), room, most })
    const placed: Placed[] = []
    const total = rows.reduce((sum, row) => sum + heightOf(row) * scale * rowGap, 0)
    // A single row may stand a little higher where it leaves much room; floating things stand in the middle.
    let y = isFloating ? bottom - Math.max(0, (bottom - top - total) / 2) : bottom
    let horizon = height * 0.62
    for (const [at, row] of rows.toReversed().entries()) {
      const isFront = at === 0
      const ground = y + Math.min(0, ...row.map(({ block }) => block.bottom)) * scale
      placed.push(...this.#row(row, scale, ground, !isFloating, at))
      if (!isFront || rows.length === 1) horizon = Math.min(horizon, ground - height * 0.1)
      y -= heightOf(row) * scale * rowGap
    }
    return { placed: placed.sort((one, other) => one.layer - other.layer), horizon: Math.max(height * 0.3, horizon) }
  }

  sky(roots: readonly Root[], groundTop: number, isAlone: boolean): Placed[] {
    if (roots.length === 0) return []
    const { width, height, top } = this.#frame
    const bottom = Math.max(top + height * 0.12, groundTop - height * 0.03)
    const most = height * (isAlone ? biggest.skyAlone : biggest.sky)
    const { rows, scale } = bestRows(splits(roots), { width: width * (1 - 2 * margin), room: bottom - top, most })
    const total = rows.reduce((sum, row) => sum + heightOf(row) * scale * rowGap, 0)
    let y = top + total + Math.max(0, bottom - top - total) * 0.4
    const placed: Placed[] = []
    for (const row of rows.toReversed()) {
      placed.push(...this.#row(row, scale, y, false, 0))
      y -= heightOf(row) * scale * rowGap
    }
    return placed
  }

  /** Buildings and trees behind, small things in front, where there is more than one row. */
  #split(roots: readonly Root[]): Root[][][] {
    const isFar = ({ index }: Root): boolean => {
      const described = this.#things[index]
      if (described?.spot === 'foreground') return false
      const onWater = (this.#place === 'lake' || this.#place === 'beach') && described?.thing.home === 'w'
      return described?.spot === 'background' || described?.thing.home === 'b' || onWater
    }
    const [far, near] = [roots.filter(isFar), roots.filter((root) => !isFar(root))]
    const told = roots.some(({ index }) => this.#things[index]?.spot === 'background')
    if (far.length === 0 || near.length === 0) return splits(roots)
    const layered = splits(far).flatMap((back) => splits(near).map((front) => [...back, ...front]))
    return told || this.#place === 'lake' || this.#place === 'beach' ? layered : [[[...roots]], ...layered]
  }

  #row(row: readonly Root[], scale: number, ground: number, isStanding: boolean, depth: number): Placed[] {
    const { width } = this.#frame
    const used = row.reduce((sum, { block }) => sum + widthOf(block) * scale, 0)
    const free = width - used
    // Wide gaps look lost: what is left over goes to the sides.
    const gap = Math.min(free / (row.length + 1), width * 0.09)
    let x = (free - gap * (row.length - 1)) / 2
    const placed: Placed[] = []
    for (const { block, index } of row) {
      const isBehind =
        isStanding &&
        row.length > 1 &&
        this.#things[index]?.thing.home === 'b' &&
        row.some((other) => this.#things[other.index]?.thing.home !== 'b')
      const raise = isBehind ? Math.min(this.#frame.height * 0.05, block.top * scale * 0.2) : 0
      const drift = isStanding ? 0 : (this.#random() - 0.5) * this.#frame.height * 0.02
      for (const item of block.items) {
        placed.push({
          ...item,
          x: x + (item.x - block.left) * scale,
          y: ground - raise + drift - (item.y + item.height) * scale,
          width: item.width * scale,
          height: item.height * scale,
          layer: item.layer - depth * 100 - (isBehind ? 50 : 0),
          isGrounded: item.isGrounded && isStanding,
          isMirrored: false,
        })
      }
      x += widthOf(block) * scale + gap
    }
    return placed
  }
}

const heightOf = (row: readonly Root[]): number =>
  Math.max(...row.map(({ block }) => block.top)) - Math.min(0, ...row.map(({ block }) => block.bottom))

/** One row, two, three, four: each as even as can be. */
function splits(roots: readonly Root[]): Root[][][] {
  const ways: Root[][][] = []
  for (let rows = 1; rows <= Math.min(maxRows, roots.length); rows++) {
    const perRow = Math.ceil(roots.length / rows)
    ways.push(
      Array.from({ length: rows }, (_, row) => roots.slice(row * perRow, (row + 1) * perRow)).filter(
        (row) => row.length > 0,
      ),
    )
  }
  return ways
}

interface Room {
  width: number
  room: number
  /** The height of the tallest. */
  most: number
}

const gapOf = 0.12

function bestRows(ways: readonly Root[][][], { width, room, most }: Room): { rows: Root[][]; scale: number } {
  let best: { rows: Root[][]; scale: number } | undefined
  for (const rows of ways) {
    const widest = Math.max(...rows.map((row) => row.reduce((sum, { block }) => sum + widthOf(block) + gapOf, -gapOf)))
    const heights = rows.map(heightOf)
    const total = heights.reduce((sum, height) => sum + height * rowGap, 0)
    const scale = Math.min(width / widest, room / total, most / Math.max(...heights))
    // More rows must be worth it.
    if (best === undefined || scale > best.scale * 1.12) best = { rows, scale }
  }
  if (best === undefined) throw new Error('nothing to lay out')
  return best
}

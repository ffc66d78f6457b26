// Things that belong together, put together: what stands on a table, a hat on a head, five ducks in a row. A block has its
// own measure: its ground is 0, up is positive, and a thing a metre high is 1 high.
import type { Described, RelationKind } from '../words/description.ts'
import { headOf, hidesContent, isRoof, isTree, seatOf, wearing } from './anatomy.ts'

export interface Item {
  /** Of the described things. */
  index: number
  x: number
  y: number
  width: number
  height: number
  /** Higher ones cover lower ones. */
  layer: number
  colour: string | undefined
  /** Stands on the ground and throws a shadow there. */
  isGrounded: boolean
}

export interface Block {
  items: Item[]
  left: number
  right: number
  top: number
  bottom: number
}

/** Width by height of each described thing's art. */
export type Aspects = readonly number[]

/** Sizes grow more slowly than in the world: a mouse beside a castle is still seen. */
const sizeExponent = 0.36
const [smallestMetres, largestMetres] = [0.08, 16]
const gapShare = 0.14

const relativeKinds: readonly RelationKind[] = ['beside', 'left', 'right', 'between']

export interface Arrangement {
  /** Roots in order from left to right. */
  roots: number[]
  parents: (number | undefined)[]
}

/** Who stands by themselves, and who is placed by another. */
export function arrange(things: readonly Described[]): Arrangement {
  const parents: (number | undefined)[] = things.map(() => undefined)
  turnRoofs(things)
  const structural = (index: number): boolean => {
    const kind = things[index]?.relation?.kind
    return kind !== undefined && !relativeKinds.includes(kind)
  }
  for (const [index, { relation }] of things.entries()) if (relation && structural(index)) parents[index] = relation.to
  const order: number[] = things.map((_, index) => index)
  for (const [index, described] of things.entries()) {
    const { relation, thing } = described
    if (relation === undefined || structural(index)) continue
    const host = things[relation.to]
    // Beside what stands on a table, small things stand on it too.
    const hostParent = parents[relation.to]
    if (hostParent !== undefined && host?.relation?.kind === 'on' && thing.metres <= 1 && hostParent !== index) {
      parents[index] = hostParent
      described.relation = { kind: 'on', to: hostParent }
    }
    order.splice(order.indexOf(index), 1)
    const second = relation.and === undefined ? -1 : order.indexOf(relation.and)
    const first = order.indexOf(relation.to)
    if (relation.kind === 'left') order.splice(first, 0, index)
    else if (relation.kind === 'between' && second >= 0) {
      order.splice(second, 1)
      const at = order.indexOf(relation.to)
      order.splice(at + 1, 0, index, relation.and ?? 0)
    } else order.splice(first + 1, 0, index)
  }
  return { roots: order.filter((index) => parents[index] === undefined), parents }
}

/** Under the moon is anywhere; whoever is under an umbrella has it above them. */
function turnRoofs(things: readonly Described[]): void {
  for (const [index, described] of things.entries()) {
    const { relation } = described
    const roof = relation?.kind === 'under' ? things[relation.to] : undefined
    if (roof === undefined || !isRoof(roof.thing)) continue
    delete described.relation
    if (roof.thing.home !== 's' && roof.relation === undefined) roof.relation = { kind: 'above', to: index }
  }
}

export class BlockBuilder {
  readonly #things: readonly Described[]
  readonly #aspects: Aspects
  readonly #children: number[][]

  constructor(things: readonly Described[], aspects: Aspects, { parents }: Arrangement) {
    this.#things = things
    this.#aspects = aspects
    this.#children = things.map((_, index) =>
      things.flatMap((_one, child) => (parents[child] === index ? [child] : [])),
    )
  }

  build(index: number): Block {
    let block = this.#group(index)
    const by = (kind: RelationKind): number[] =>
      (this.#children[index] ?? []).filter((child) => this.#things[child]?.relation?.kind === kind)
    block = this.#widen(block, index, by('on'))
    block = this.#stand(block, index, by('on'))
    block = this.#fill(block, index, by('in'))
    block = this.#wear(block, index, by('worn'))
    block = this.#hold(block, index, by('held'))
    for (const child of by('under')) block = this.#shelter(block, index, child)
    const above = by('above').map((child) => this.build(child))
    if (above.length > 0) block = onTop(block, inRow(above, 0.15), 0.18)
    for (const child of by('behind')) block = this.#behind(this.build(child), block)
    for (const child of by('front')) block = this.#behind(block, this.build(child))
    return block
  }

  /** All copies of one thing. */
  #group(index: number): Block {
    const { thing, count, size, colours } = this.#things[index] as Described
    const metres = Math.min(largestMetres, Math.max(smallestMetres, thing.metres))
    const aspect = this.#aspects[index] ?? 1
    // What is long and low is measured by its length.
    const height = (metres ** sizeExponent * size) / Math.max(1, aspect / 1.6)
    const width = height * aspect
    const isSmall = thing.home === 't'
    const perRow = count <= 5 ? count : Math.ceil(Math.sqrt(count * (isSmall ? 2.4 : 2)))
    const items: Item[] = []
    for (let copy = 0; copy < count; copy++) {
      const row = Math.floor(copy / perRow)
      const inRow = Math.min(perRow, count - row * perRow)
      const at = copy % perRow
      const step = width * (1 + gapShare)
      const x = at * step - ((inRow - 1) * step) / 2 - width / 2
      items.push({
        ...{ index, x, y: row * height * 1.06, width, height, layer: -row },
        colour: colours.length === 0 ? undefined : colours[copy % colours.length]?.hex,
        isGrounded: true,
      })
    }
    return boxed(items)
  }

  /** A table is as long as what stands on it needs. */
  #widen(block: Block, index: number, children: readonly number[]): Block {
    const { thing, count } = this.#things[index] as Described
    if (!/table|bench|rug|shelf/.test(thing.art) || count > 1 || children.length === 0) return block
    const need = children.map((child) => widthOf(this.build(child))).reduce((sum, width) => sum + width * 1.15, 0.2)
    const stretch = Math.min(2.6, Math.max(1, need / widthOf(block)))
    const [item] = block.items
    return item === undefined
      ? block
      : boxed([{ ...item, x: (-item.width * stretch) / 2, width: item.width * stretch }])
  }

  #stand(block: Block, index: number, children: readonly number[]): Block {
    if (children.length === 0) return block
    const { thing } = this.#things[index] as Described
    const base = block.items.filter((item) => item.index === index)
    const blocks = children.map((child) => this.build(child))
    // Each on one of them where there are several: two cats on two chairs.
    const only = blocks[0]
    if (base.length > 1 && blocks.length === 1 && only !== undefined && only.items.length === base.length) {
      const items = base.flatMap((item, at) => {
        const one = only.items[at]
        return one === undefined
          ? []
          : [{ ...one, ...seatOn(item, one, seatOf(thing)), layer: item.layer + 1, isGrounded: false }]
      })
      return boxed([...block.items, ...items])
    }
    const row = inRow(blocks)
    const host = base[0]
    if (host === undefined) return block
    const room = base.length > 1 ? widthOf(block) : host.width * (seatOf(thing) < 0.92 ? 0.92 : 1.6)
    const scale = Math.min(1, Math.max(0.3, room / widthOf(row)))
    const y = host.y + host.height * seatOf(thing) - row.bottom * scale
    const centre = base.length > 1 ? (block.left + block.right) / 2 : host.x + host.width / 2
    return joined(block, moved(row, centre - ((row.left + row.right) / 2) * scale, y, scale, 2))
  }

  #fill(block: Block, index: number, children: readonly number[]): Block {
    if (children.length === 0) return block
    const { thing } = this.#things[index] as Described
    const host = block.items.find((item) => item.index === index)
    if (host === undefined) return block
    const row = inRow(children.map((child) => this.build(child)))
    if (isTree(thing)) {
      const scale = Math.min(1, (host.width * 0.8) / widthOf(row), (host.height * 0.3) / (row.top - row.bottom))
      return joined(
        block,
        moved(row, host.x + host.width / 2 - ((row.left + row.right) / 2) * scale, host.height * 0.52, scale, 2),
      )
    }
    const hides = hidesContent(thing)
    const isVase = thing.art === 'own:vase'
    const scale = Math.min(1.1, Math.max(0.3, (host.width * (isVase ? 1.5 : hides ? 0.86 : 0.8)) / widthOf(row)))
    const y = host.y + host.height * (isVase ? 0.93 : hides ? 0.72 : 0.5)
    return joined(
      block,
      moved(row, host.x + host.width / 2 - ((row.left + row.right) / 2) * scale, y, scale, hides ? -2 : 2),
    )
  }

  #wear(block: Block, index: number, children: readonly number[]): Block {
    const { thing } = this.#things[index] as Described
    const head = headOf(thing)
    const wearers = block.items.filter((item) => item.index === index)
    const items = children.flatMap((child) => {
      const described = this.#things[child] as Described
      const aspect = this.#aspects[child] ?? 1
      const { at, isCentred, width: share } = wearing(described.thing, head)
      return wearers.map((item): Item => {
        const width = item.width * share * Math.min(1.6, described.size)
        const height = width / aspect
        const y = item.y + item.height * at - (isCentred ? height / 2 : 0)
        const x = item.x + item.width * head.x - width / 2
        return {
          index: child,
          x,
          y,
          width,
          height,
          layer: item.layer + 3,
          colour: described.colours[0]?.hex,
          isGrounded: false,
        }
      })
    })
    return boxed([...block.items, ...items])
  }

  #hold(block: Block, index: number, children: readonly number[]): Block {
    const holder = block.items.find((item) => item.index === index)
    if (holder === undefined) return block
    let result = block
    for (const [at, child] of children.entries()) {
      const held = this.build(child)
      const described = this.#things[child] as Described
      const isAloft = ['umbrella', 'balloon', 'kite', 'flag'].includes(described.thing.name)
      const scale = Math.min(1, (holder.height * (isAloft ? 0.7 : 0.42)) / (held.top - held.bottom))
      const side = at % 2 === 0 ? 1 : -1
      const width = widthOf(held) * scale
      const overlap = Math.min(width, holder.width) * 0.12
      const x = side === 1 ? holder.x + holder.width - overlap : holder.x - width + overlap
      const y = holder.y + holder.height * (isAloft ? 0.52 : 0.36)
      result = joined(result, moved(held, x - held.left * scale, y - held.bottom * scale, scale, 3))
    }
    return result
  }

  /** Someone under a table or a tree. */
  #shelter(block: Block, index: number, child: number): Block {
    const host = block.items.find((item) => item.index === index)
    if (host === undefined) return block
    const { thing } = this.#things[index] as Described
    const guest = this.build(child)
    const share = /table|bench|chair|bed/.test(thing.art) ? 0.66 : isTree(thing) ? 0.36 : 0.45
    const roomy = /table|bench/.test(thing.art) ? stretched(block, 1.35) : block
    const roof = roomy.items.find((item) => item.index === index) ?? host
    const scale = Math.min(1, (roof.height * share) / (guest.top - guest.bottom), (roof.width * 0.72) / widthOf(guest))
    const centre = roof.x + roof.width * (isTree(thing) ? 0.5 : 0.5)
    return joined(
      roomy,
      moved(
        guest,
        centre - ((guest.left + guest.right) / 2) * scale,
        -guest.bottom * scale - roof.height * 0.03,
        scale,
        4,
      ),
    )
  }

  /** The nearer one hides little of the other. */
  #behind(far: Block, near: Block): Block {
    const isTall = far.top > near.top * 1.5 && widthOf(far) > widthOf(near) * 1.15
    const scale = Math.min(1, isTall ? (far.top * 0.5) / near.top : 1)
    if (isTall) {
      const x = (far.left + far.right) / 2 - ((near.left + near.right) / 2) * scale
      const aside = (widthOf(far) - widthOf(near) * scale) * 0.3
      return joined(far, moved(near, x - aside, -0.16 * far.top, scale, 6))
    }
    const raised = moved(far, 0, near.top * 0.22, 1, -6)
    const x = raised.left - widthOf(near) * 0.72
    return joined(raised, moved(near, x - near.left, 0, 1, 6))
  }
}

export const widthOf = ({ left, right }: Block): number => right - left

function boxed(items: Item[]): Block {
  return {
    items,
    left: Math.min(...items.map(({ x }) => x)),
    right: Math.max(...items.map(({ x, width }) => x + width)),
    top: Math.max(...items.map(({ y, height }) => y + height)),
    bottom: Math.min(...items.map(({ y }) => y)),
  }
}

const joined = (one: Block, other: Block): Block => boxed([...one.items, ...other.items])

function moved(block: Block, dx: number, dy: number, scale: number, layer: number): Block {
  const items = block.items.map((item) => ({
    ...item,
    x: item.x * scale + dx,
    y: item.y * scale + dy,
    width: item.width * scale,
    height: item.height * scale,
    layer: item.layer + layer,
    isGrounded: item.isGrounded && dy <= 0,
  }))
  return boxed(items)
}

const stretched = (block: Block, by: number): Block => moved(block, 0, 0, by, 0)

const onTop = (lower: Block, upper: Block, gap: number): Block =>
  joined(
    lower,
    moved(upper, (lower.left + lower.right - upper.left - upper.right) / 2, lower.top + gap - upper.bottom, 1, 1),
  )

function seatOn(host: Item, guest: Item, seat: number) {
  const scale = Math.min(1, (host.width * 1.1) / guest.width)
  const [width, height] = [guest.width * scale, guest.height * scale]
  return { x: host.x + host.width / 2 - width / 2, y: host.y + host.height * seat, width, height }
}

/** Side by side, each on its ground. */
export function inRow(blocks: readonly Block[], gap = 0.1): Block {
  const items: Item[] = []
  let x = 0
  for (const block of blocks) {
    items.push(...moved(block, x - block.left, 0, 1, 0).items)
    x += widthOf(block) + gap
  }
  return boxed(items)
}

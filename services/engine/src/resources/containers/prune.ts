// Removes containers that do not run.
import { conflict, invalidParameter } from '../../errors.ts'
import type { Filters } from '../query/schema.ts'
import { type Container, isUp } from './container.ts'
import { seconds, within } from './deadline.ts'
import { hasLabel } from './list-filters.ts'
import { remove } from './remove.ts'
import type { World } from './world.ts'

const sizeDeadline = seconds(60)
const known = ['until', 'label', 'label!']

export interface Pruned {
  ids: string[]
  bytes: number
}

const running = new WeakSet<World>()

export async function prune(world: World, filters: Filters): Promise<Pruned> {
  const odd = Object.keys(filters).find((name) => !known.includes(name))
  if (odd !== undefined) throw invalidParameter(`invalid filter '${odd}'`)
  const until = readUntil(filters.until ?? [], world.now())
  if (running.has(world)) throw conflict('a prune operation is already running')
  running.add(world)
  try {
    const pruned = await removeAll(world, (container) => isPruned(container, filters, until))
    world.ports.events.emit('container', 'prune', '', { reclaimed: String(pruned.bytes) })
    return pruned
  } finally {
    running.delete(world)
  }
}

function isPruned({ state, record, isRemoving }: Container, filters: Filters, until: number): boolean {
  if (isUp(state) || isRemoving || Date.parse(record.created) > until) return false
  const { Labels } = record.config
  const wanted = filters.label ?? []
  const unwanted = filters['label!'] ?? []
  return wanted.every((label) => hasLabel(Labels, label)) && !unwanted.some((label) => hasLabel(Labels, label))
}

async function removeAll(world: World, isChosen: (container: Container) => boolean): Promise<Pruned> {
  const pruned: Pruned = { ids: [], bytes: 0 }
  for (const container of world.registry.all.filter(isChosen)) {
    try {
      const { images } = world.ports
      const size = images.rootfsSize(container.id, container.record.imageId)
      const { own } = await within(sizeDeadline, 'the size', size).catch(() => ({ own: 0 }))
      await remove(world, container, { force: false, volumes: false })
      pruned.ids.push(container.id)
      pruned.bytes += own
    } catch (error) {
      world.warn(container, error, 'A container could not be pruned')
    }
  }
  return pruned
}

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A point in time: `1700000000`, `2026-01-02T15:04:05`, or so long ago: `1h30m`. */
export function readUntil(values: readonly string[], now: number): number {
  const [text] = values
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (values.length > 1) throw invalidParameter('more than one until filter specified')
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Number(text) * 1000
  if (/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
    return now - parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0)
  }
  const moment = Date.parse(/[zZ]|[+-]\d\d:\d\d$/.test(text) || !text.includes('T') ? text : `${text}Z`)
  if (Number.isNaN(moment)) throw invalidParameter(`invalid until filter: '${text}'`)
  return moment
}

// What builds keep to be faster the next time. Nothing is built here, so there is nothing kept and nothing to remove;
// `docker system prune` asks for it all the same, and would end half done without an answer.
import { invalidParameter } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { Filters } from '../query/schema.ts'
import type { BuildCachePruned } from './schema.ts'

const knownFilters = ['until', 'id', 'parent', 'type', 'description', 'inuse', 'shared', 'private']

export class BuildCache {
  readonly #events: EngineEvents

  constructor(events: EngineEvents) {
    this.#events = events
  }

  /** ENG-648 */
  prune(filters: Filters): BuildCachePruned {
    const unknown = Object.keys(filters).find((name) => !knownFilters.includes(name))
    if (unknown !== undefined) throw invalidParameter(`invalid filter '${unknown}'`)
    this.#events.emit('builder', 'prune', '', { reclaimed: '0' })
    return { CachesDeleted: [], SpaceReclaimed: 0 }
  }
}

// What the manager that leads writes as such: taken by the store only while it leads. One that was cut off does not know
// yet that another leads; whatever it decided meanwhile would come to the store when it is back.
import type { Fence, SwarmStore } from './swarm-store.ts'

export type LedStore = Pick<SwarmStore, 'all' | 'get' | 'listen' | 'mark' | 'listenMarks' | 'commit'>

/** `fence`: the mark that it leads by. */
export function ledStore(store: SwarmStore, fence: Fence): LedStore {
  const expectLead = (): void => {
    if (store.mark(fence.mark)?.revision !== fence.revision) throw new Error('another manager leads the swarm now')
  }
  return {
    all: (kind) => store.all(kind),
    get: (kind, id) => store.get(kind, id),
    mark: (name) => store.mark(name),
    listen: (listener) => store.listen(listener),
    listenMarks: (listener) => store.listenMarks(listener),
    async commit(writes, removals, conditions) {
      expectLead()
      if (await store.commit(writes, removals, { ...conditions, fence })) return true
      // Memory has by now what was in the way.
      expectLead()
      return false
    },
  }
}

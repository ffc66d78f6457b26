// Changes one object of the store, whatever others do to it meanwhile.
import type { Kind, Kinds } from './objects.ts'
import type { SwarmStore } from './swarm-store.ts'

const maxTries = 20

/** `change` gives undefined where nothing is to be done; so it is when there is no such object. */
export async function changeObject<K extends Kind>(
  store: Pick<SwarmStore, 'get' | 'commit'>,
  kind: K,
  id: string,
  change: (object: Kinds[K]) => Kinds[K] | undefined,
): Promise<void> {
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const found = store.get(kind, id)
    const object = found && change(found)
    if (found === undefined || object === undefined) return
    if (await store.commit([{ kind, object, index: found.Version.Index }])) return
  }
  throw new Error(`${kind} ${id} could not be changed: others change it all the time`)
}

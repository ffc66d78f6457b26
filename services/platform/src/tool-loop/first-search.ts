// Work with files to search begins with a search for what the user has asked: small models seldom think of it.
import { HttpError } from '@atoll/kernel/http/error'
import type { ProjectCaller } from '../callers.ts'
import type { VectorStores } from '../resources/vector-stores/service.ts'

export const maxQueryLetters = 4_000

type Stores = Pick<VectorStores, 'get'>

export async function hasFiles(stores: Stores, caller: ProjectCaller, ids: readonly string[]): Promise<boolean> {
  const counts = await Promise.all(ids.map((id) => countFiles(stores, caller, id)))
  return counts.some((count) => count > 0)
}

async function countFiles(stores: Stores, caller: ProjectCaller, id: string): Promise<number> {
  try {
    const store = await stores.get(caller, id)
    // One that has expired is searched too: the work fails, and says why.
    return store.status === 'expired' ? 1 : store.file_counts.total
  } catch (error) {
    // A store that was deleted has nothing to search.
    if (error instanceof HttpError && error.status === 404) return 0
    throw error
  }
}

// Two stores as one, while blobs move from the second to the first: written to the first, found in both.
import { BlobMissing, type BlobStore } from './blobs.ts'

export function twoStores(main: BlobStore, also: BlobStore): BlobStore {
  return {
    write: (source, options) => main.write(source, options),
    async read(key, range) {
      // Moved between the first look and the second, it is found by the third.
      for (const store of [main, also, main]) {
        try {
          return await store.read(key, range)
        } catch (error) {
          if (!(error instanceof BlobMissing)) throw error
        }
      }
      throw new BlobMissing(key)
    },
    async size(key) {
      return (await main.size(key)) ?? (await also.size(key)) ?? (await main.size(key))
    },
    async remove(key) {
      // The second first: what is moved meanwhile is then still to be removed.
      await also.remove(key)
      await main.remove(key)
    },
    async *list() {
      yield* also.list()
      yield* main.list()
    },
    freeBytes: () => main.freeBytes(),
  }
}

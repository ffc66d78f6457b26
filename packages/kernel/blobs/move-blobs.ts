// Moves blobs from one store to another. Each is copied whole under its key before the old one goes, so it can be killed
// at any moment and begun again.
import type { BlobStore } from './blobs.ts'

const keysAtOnce = 500

interface MoveNeeds {
  from: BlobStore
  to: BlobStore
  /** Which of these some row refers to: others are left to the sweep. */
  referenced(keys: string[]): Promise<ReadonlySet<string>>
  /** Called after each. */
  moved?(bytes: number): void
}

interface Moved {
  blobs: number
  bytes: number
  /** What nothing refers to, or what is still being written: it stays where it is. */
  left: number
}

export async function moveBlobs({ from, to, referenced, moved }: MoveNeeds): Promise<Moved> {
  const result: Moved = { blobs: 0, bytes: 0, left: 0 }
  for await (const keys of inGroups(from)) {
    const wanted = await referenced(keys)
    for (const key of keys) {
      const bytes = wanted.has(key) ? await moveOne(from, to, key) : undefined
      if (bytes === undefined) {
        result.left++
        continue
      }
      result.blobs++
      result.bytes += bytes
      moved?.(bytes)
    }
  }
  return result
}

async function moveOne(from: BlobStore, to: BlobStore, key: string): Promise<number | undefined> {
  const bytes = await from.size(key)
  if (bytes === undefined) return undefined
  if ((await to.size(key)) !== bytes) {
    const source = await from.read(key)
    try {
      const copy = await to.write(source, { key, maxBytes: bytes, ownsChunks: true })
      if (copy.bytes !== bytes) throw new Error(`The blob ${key} has ${copy.bytes} bytes instead of ${bytes}.`)
    } finally {
      source.destroy()
    }
  }
  await from.remove(key)
  return bytes
}

async function* inGroups(store: BlobStore): AsyncGenerator<string[]> {
  let keys: string[] = []
  for await (const { key } of store.list()) {
    keys.push(key)
    if (keys.length < keysAtOnce) continue
    yield keys
    keys = []
  }
  if (keys.length > 0) yield keys
}

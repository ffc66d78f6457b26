// A saved image taken apart: its files by name, links followed inside the archive.
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import type { LayerReport } from '../../images/content.ts'

const Line = z.object({
  path: z.string(),
  file: z.number().optional(),
  size: z.number().optional(),
  digest: z.string().optional(),
  link: z.string().optional(),
  isHard: z.boolean().optional(),
  layer: z.object({ diffId: z.string(), size: z.number(), entries: z.number() }).optional(),
})

export interface SavedFile {
  /** Where it lies now. */
  place: string
  size: number
  digest: string
  /** It was unpacked too, as it came; into this folder. */
  layer: { folder: string; report: LayerReport } | undefined
}

const maxDocumentBytes = 8 * 1024 * 1024
const maxLinks = 10

export class SavedArchive {
  readonly #files = new Map<string, SavedFile>()
  readonly #links = new Map<string, string>()

  constructor(folder: string, listing: string) {
    for (const text of listing.split('\n').filter((line) => line !== '')) {
      const { path, file, size, digest, link, isHard, layer } = Line.parse(JSON.parse(text))
      const name = clean(path)
      if (link !== undefined) this.#links.set(name, clean(isHard ? link : posix.join(posix.dirname(name), link)))
      if (file !== undefined && size !== undefined && digest !== undefined) {
        const place = join(folder, String(file))
        // What is packed with nothing is its own content.
        const report = layer && { ...layer, diffId: layer.diffId || digest, digest, bytes: size }
        this.#files.set(name, { place, size, digest, layer: report && { folder: `${place}.layer`, report } })
      }
    }
  }

  has(path: string): boolean {
    return this.#resolve(path) !== undefined
  }

  /** Of files and links. */
  get names(): string[] {
    return [...this.#files.keys(), ...this.#links.keys()]
  }

  find(path: string): SavedFile {
    const file = this.#resolve(path)
    if (file === undefined) throw invalidParameter(`invalid archive: ${path.slice(0, 200)} is not in it`)
    const named = /(?:^|\/)blobs\/sha256\/([0-9a-f]{64})$/.exec(path)?.[1]
    if (named !== undefined && file.digest !== `sha256:${named}`) {
      throw invalidParameter(`digest mismatch: expected sha256:${named}, got ${file.digest}`)
    }
    return file
  }

  /** A layer that is unpacked already. Only once: whoever gets it moves it away. */
  takeLayer(path: string): SavedFile['layer'] {
    const file = this.find(path)
    const { layer } = file
    file.layer = undefined
    return layer
  }

  async read(path: string): Promise<Buffer> {
    const file = this.find(path)
    if (file.size > maxDocumentBytes) throw invalidParameter(`invalid archive: ${path} is too large`)
    return readFile(file.place)
  }

  async readJson<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> {
    const bytes = await this.read(path)
    try {
      return schema.parse(JSON.parse(bytes.toString('utf8')))
    } catch {
      throw invalidParameter(`invalid archive: ${path} is not what it should be`)
    }
  }

  #resolve(path: string): SavedFile | undefined {
    let name = clean(path)
    for (let steps = 0; steps < maxLinks; steps += 1) {
      const file = this.#files.get(name)
      if (file !== undefined) return file
      const link = this.#links.get(name)
      if (link === undefined) return undefined
      name = link
    }
    return undefined
  }
}

/** Names outside the archive are names of nothing. */
function clean(path: string): string {
  const name = posix.normalize(path).replace(/^\/+/, '')
  return name.startsWith('../') ? `outside/${name}` : name
}

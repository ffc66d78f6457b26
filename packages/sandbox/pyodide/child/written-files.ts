// Which files below the session's folder a run wrote, changed or moved there.
import type { FileSystem, Node } from './emscripten.ts'
import type { FileLimits } from './file-limits.ts'

const maxDepth = 16

export interface WrittenFile {
  /** Below the folder. */
  name: string
  node: Node
}

export class WrittenFiles {
  readonly #files: FileSystem
  readonly #limits: FileLimits
  readonly #folder: string
  #known = new Map<string, Node>()

  constructor(files: FileSystem, limits: FileLimits, folder: string) {
    this.#files = files
    this.#limits = limits
    this.#folder = folder
  }

  /** Since the last call. */
  take(): WrittenFile[] {
    const now = new Map<string, Node>()
    this.#collect(this.#root(), '', 0, now)
    const written = [...now].filter(([name, node]) => this.#known.get(name) !== node || this.#limits.wasWritten(node))
    this.#known = now
    this.#limits.forgetWritten()
    return written.map(([name, node]) => ({ name, node }))
  }

  /** Undefined when the code removed the folder. */
  #root(): Node | undefined {
    try {
      return this.#files.lookupPath(this.#folder).node
    } catch {
      return undefined
    }
  }

  #collect(node: Node | undefined, prefix: string, depth: number, into: Map<string, Node>): void {
    if (node === undefined || !this.#files.isDir(node.mode) || depth > maxDepth) return
    for (const [name, child] of Object.entries(node.contents as Record<string, Node>)) {
      if (this.#files.isDir(child.mode)) this.#collect(child, `${prefix}${name}/`, depth + 1, into)
      else if (this.#files.isFile(child.mode)) into.set(prefix + name, child)
    }
  }
}

/** Emscripten keeps them in arrays of signed or unsigned bytes. */
export function bytesOf({ contents, usedBytes }: Node): Uint8Array {
  const { buffer, byteOffset } = contents as Uint8Array
  return new Uint8Array(buffer, byteOffset, usedBytes)
}

// Keeps the session's files within their limits and remembers which were written. They lie in this process's memory,
// outside Python's, so nothing else would stop them from growing.
import type { FileSystem, Node } from './emscripten.ts'

/** Emscripten's number for "No space left on device". */
const noSpace = 51
const minCapacity = 256
const growth = 1.25

export class FileLimits {
  readonly #files: FileSystem
  readonly #limits: { fileBytes: number; fileCount: number }
  /** What the system and packages take: not counted. */
  #base = { bytes: 0, count: 0 }
  /** At most so much since the last count; removed files still count in it. */
  #bytes = 0
  #count = 0
  #counting = false
  #written = new WeakSet<Node>()

  constructor(files: FileSystem, limits: { fileBytes: number; fileCount: number }) {
    this.#files = files
    this.#limits = limits
    this.#watch()
  }

  /** Nothing that happens in `work` counts. */
  exempt(work: () => void): void {
    const before = this.#counting ? count(this.#files.root) : this.#base
    this.#counting = false
    try {
      work()
    } finally {
      const after = count(this.#files.root)
      this.#base = {
        bytes: this.#base.bytes + after.bytes - before.bytes,
        count: this.#base.count + after.count - before.count,
      }
      this.#counting = true
    }
  }

  wasWritten(node: Node): boolean {
    return this.#written.has(node)
  }

  forgetWritten(): void {
    this.#written = new WeakSet()
  }

  #watch(): void {
    const { MEMFS } = this.#files.filesystems
    const { createNode } = MEMFS
    MEMFS.createNode = (parent, name, mode, dev) => {
      this.#grow(0, 1)
      return createNode(parent, name, mode, dev)
    }
    MEMFS.expandFileStorage = expand
    const { write } = MEMFS.stream_ops
    const limitedWrite: typeof write = (stream, buffer, offset, length, position, canOwn) => {
      this.#touch(stream.node, Math.max(stream.node.usedBytes, position + length))
      return write(stream, buffer, offset, length, position, canOwn)
    }
    MEMFS.stream_ops.write = limitedWrite
    MEMFS.ops_table.file.stream.write = limitedWrite
    const { setattr } = MEMFS.ops_table.file.node
    MEMFS.ops_table.file.node.setattr = (node, attributes) => {
      if (attributes.size !== undefined) this.#touch(node, attributes.size)
      setattr(node, attributes)
    }
  }

  #touch(node: Node, size: number): void {
    this.#grow(size - node.usedBytes, 0)
    this.#written.add(node)
  }

  #grow(bytes: number, nodes: number): void {
    if (!this.#counting) return
    if (this.#bytes + bytes > this.#limits.fileBytes || this.#count + nodes > this.#limits.fileCount) this.#recount()
    if (this.#bytes + bytes > this.#limits.fileBytes || this.#count + nodes > this.#limits.fileCount) {
      throw new this.#files.ErrnoError(noSpace)
    }
    this.#bytes += bytes
    this.#count += nodes
  }

  #recount(): void {
    const all = count(this.#files.root)
    this.#bytes = all.bytes - this.#base.bytes
    this.#count = all.count - this.#base.count
  }
}

/** Emscripten's own way leaves a copy of the file behind at every step, many times its size in all. */
function expand(node: Node, capacity: number): void {
  const old = node.contents as Uint8Array<ArrayBuffer>
  if (old.length >= capacity) return
  const length = Math.max(capacity, Math.ceil(old.length * growth), minCapacity)
  if (old.byteLength === old.buffer.byteLength && old.length > 0) {
    node.contents = new Uint8Array(old.buffer.transfer(length))
  } else {
    const grown = new Uint8Array(length)
    grown.set(old.subarray(0, node.usedBytes))
    node.contents = grown
  }
}

function count(node: Node): { bytes: number; count: number } {
  const { contents } = node
  if (contents === undefined || ArrayBuffer.isView(contents)) return { bytes: node.usedBytes ?? 0, count: 1 }
  const sum = { bytes: 0, count: 1 }
  for (const child of Object.values(contents)) {
    const part = count(child)
    sum.bytes += part.bytes
    sum.count += part.count
  }
  return sum
}

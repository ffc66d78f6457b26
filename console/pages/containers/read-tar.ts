// Reads the heads of an archive as it arrives: names and sizes, not what is in the files.

export interface TarEntry {
  /** As it stands in the archive, without the folder that was asked for: `passwd`, `ssl/certs/`. */
  path: string
  kind: 'file' | 'folder' | 'link' | 'other'
  bytes: number
  modified: number
}

const blockBytes = 512
/** A page shows no more, and waits for no more. */
const maxEntries = 50_000
const maxBytes = 256 * 1024 * 1024
/** Long names come as small files of their own. */
const maxNameBytes = 64 * 1024

interface TarListing {
  entries: TarEntry[]
  /** There is more than was read. */
  isCut: boolean
}

export async function readTar(
  body: ReadableStream<Uint8Array>,
  isWanted: (path: string) => boolean,
): Promise<TarListing> {
  const source = new Source(body)
  const entries: TarEntry[] = []
  let longName: string | undefined
  /** That was asked for: it comes first, and stands before each name. */
  let folder: string | undefined
  try {
    for (let seen = 0; ; seen++) {
      if (seen > maxEntries || source.read > maxBytes) return { entries, isCut: true }
      const head = await source.take(blockBytes)
      if (head === undefined || head[0] === 0) return { entries, isCut: false }
      const bytes = numberOf(head, 124, 12)
      const type = String.fromCharCode(head[156] ?? 0)
      const padded = Math.ceil(bytes / blockBytes) * blockBytes
      if ((type === 'x' || type === 'L') && bytes <= maxNameBytes) {
        const text = textOf((await source.take(padded))?.subarray(0, bytes) ?? new Uint8Array())
        longName =
          (type === 'L' ? text.replace(/\0.*$/s, '') : /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1]) ?? longName
        continue
      }
      const name = longName ?? nameOf(head)
      if (type !== 'g') folder ??= name.endsWith('/') ? name : `${name}/`
      const path = name.startsWith(folder ?? '/') ? name.slice(folder?.length) : name.replace(/^\.?\//, '')
      if (type !== 'g') longName = undefined
      if (type !== 'g' && path !== '' && isWanted(path)) {
        entries.push({ path, kind: kindOf(type), bytes, modified: numberOf(head, 136, 12) })
      }
      await source.skip(padded)
    }
  } finally {
    await source.cancel()
  }
}

const kindOf = (type: string): TarEntry['kind'] => {
  if (type === '5') return 'folder'
  if (type === '1' || type === '2') return 'link'
  return type === '0' || type === '\0' ? 'file' : 'other'
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const field = (head: Uint8Array, at: number, length: number): string =>
  textOf(head.subarray(at, at + length)).replace(/\0.*$/s, '')

function nameOf(head: Uint8Array): string {
  const [name, prefix] = [field(head, 0, 100), field(head, 345, 155)]
  return prefix !== '' && field(head, 257, 5) === 'ustar' ? `${prefix}/${name}` : name
}

/** Octal digits, or, where these do not suffice, the bytes themselves. */
function numberOf(head: Uint8Array, at: number, length: number): number {
  const bytes = head.subarray(at, at + length)
  if (((bytes[0] ?? 0) & 0x80) === 0) return Number.parseInt(textOf(bytes).replace(/[\0 ].*$/s, ''), 8) || 0
  return bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
}

class Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #piece = new Uint8Array(0)
  read = 0

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader()
  }

  /** Undefined where the archive ends before. */
  async take(bytes: number): Promise<Uint8Array | undefined> {
    const taken = new Uint8Array(bytes)
    for (let have = 0; have < bytes; ) {
      if (this.#piece.length === 0 && !(await this.#next())) return undefined
      const part = this.#piece.subarray(0, bytes - have)
      taken.set(part, have)
      have += part.length
      this.#piece = this.#piece.subarray(part.length)
    }
    return taken
  }

  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) {
      if (this.#piece.length === 0 && !(await this.#next())) return
      const step = Math.min(left, this.#piece.length)
      this.#piece = this.#piece.subarray(step)
      left -= step
    }
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined)
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (done) return false
    this.#piece = value as Uint8Array<ArrayBuffer>
    this.read += value.length
    return true
  }
}

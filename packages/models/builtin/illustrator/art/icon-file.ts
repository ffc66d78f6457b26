// One set of icons: a JSON file of up to 100 MB. Only where each icon stands in it is remembered; what is drawn is read.
import { type FileHandle, open } from 'node:fs/promises'

/** Between an icon's name and its content, as the sets are written. */
const mark = Buffer.from('": {\n\t\t\t"body": "')
const quote = 0x22
const pieceBytes = 8 * 1024 * 1024
/** A mark may lie across two pieces, and a name stands before it. */
const overlapBytes = 256
const longestIcon = 1024 * 1024

export class IconFile {
  readonly #file: FileHandle
  /** Where the content of each begins. */
  readonly #places: ReadonlyMap<string, number>

  private constructor(file: FileHandle, places: ReadonlyMap<string, number>) {
    this.#file = file
    this.#places = places
  }

  static async open(path: string): Promise<IconFile> {
    const file = await open(path)
    return new IconFile(file, await findIcons(file))
  }

  has(name: string): boolean {
    return this.#places.has(name)
  }

  /** Undefined: there is none of this name. SVG elements for a box of 32 by 32. */
  async read(name: string): Promise<string | undefined> {
    const start = this.#places.get(name)
    if (start === undefined) return undefined
    for (let length = 16 * 1024; length <= longestIcon; length *= 4) {
      const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, start)
      const text = buffer.toString('utf8', 0, bytesRead)
      const end = endOfString(text)
      if (end !== undefined) return JSON.parse(`"${text.slice(0, end)}"`) as string
    }
    throw new Error(`The icon ${name} has no end.`)
  }
}

async function findIcons(file: FileHandle): Promise<Map<string, number>> {
  const places = new Map<string, number>()
  const piece = Buffer.alloc(pieceBytes)
  for (let at = 0; ; at += pieceBytes - overlapBytes) {
    const { bytesRead } = await file.read(piece, 0, pieceBytes, at)
    const read = piece.subarray(0, bytesRead)
    for (let found = read.indexOf(mark); found >= 0; found = read.indexOf(mark, found + mark.length)) {
      const nameStart = read.lastIndexOf(quote, found - 1) + 1
      if (nameStart > 0) places.set(read.toString('latin1', nameStart, found), at + found + mark.length)
    }
    if (bytesRead < pieceBytes) return places
  }
}

function endOfString(text: string): number | undefined {
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at
  }
  return undefined
}

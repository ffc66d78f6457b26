// Packs files as an archive (ustar) without reading them: a browser sends them from where they lie.

export interface Packed {
  /** With slashes, below the archive's root. */
  path: string
  content: Blob
}

const blockBytes = 512
const nameBytes = 100
const prefixBytes = 155
const maxFileBytes = 8 ** 11 - 1

export function packTar(files: readonly Packed[]): Blob {
  const parts = files.flatMap(({ path, content }): BlobPart[] => {
    const padding = (blockBytes - (content.size % blockBytes)) % blockBytes
    return [headOf(path, content.size), content, new Uint8Array(padding)]
  })
  return new Blob([...parts, new Uint8Array(2 * blockBytes)], { type: 'application/x-tar' })
}

function headOf(path: string, size: number): Uint8Array<ArrayBuffer> {
  if (size > maxFileBytes) throw new Error(`${path} is too large for an archive.`)
  const head = new Uint8Array(blockBytes)
  const put = (at: number, text: string): void => head.set(new TextEncoder().encode(text), at)
  const { name, prefix } = splitPath(path)
  put(0, name)
  put(100, '0000644\0')
  put(108, '0000000\0')
  put(116, '0000000\0')
  put(124, `${size.toString(8).padStart(11, '0')}\0`)
  put(136, '00000000000\0')
  put(148, ' '.repeat(8))
  put(156, '0')
  put(257, 'ustar\0')
  put(263, '00')
  put(345, prefix)
  const sum = head.reduce((all, byte) => all + byte, 0)
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return head
}

/** A long path is written in two pieces, which meet at a slash. */
function splitPath(path: string): { name: string; prefix: string } {
  const fits = (text: string, most: number): boolean => new TextEncoder().encode(text).length <= most
  if (fits(path, nameBytes)) return { name: path, prefix: '' }
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (fits(prefix, prefixBytes) && name !== '' && fits(name, nameBytes)) return { name, prefix }
  }
  throw new Error(`The path ${path.slice(0, 80)}… is too long for an archive.`)
}

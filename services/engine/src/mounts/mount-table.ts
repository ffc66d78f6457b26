// What is mounted, as the kernel tells it.
import { readFile } from 'node:fs/promises'

export interface Mounted {
  device: string
  /** Of the file system: what stands at the place. */
  root: string
  place: string
  /** What is mounted here later is mounted at the other places of its group too, and the other way round. */
  isShared: boolean
  /** What is mounted later at the places of a group is mounted here too. */
  isSlave: boolean
}

const plain = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

function readRow(row: string): Mounted {
  const [, , device = '', root = '', place = '', , ...further] = row.split(' ')
  const marks = further.slice(0, further.indexOf('-'))
  const has = (kind: string): boolean => marks.some((mark) => mark.startsWith(kind))
  return { device, root: plain(root), place: plain(place), isShared: has('shared:'), isSlave: has('master:') }
}

/** In the order in which they were made: of two at one place, the later is seen. */
export async function readMounts(pid: number | 'self'): Promise<Mounted[]> {
  const text = await readFile(`/proc/${pid}/mountinfo`, 'utf8')
  return text.trim().split('\n').map(readRow)
}

const isBelow = (path: string, place: string): boolean =>
  place === '/' || path === place || path.startsWith(`${place}/`)

/** The mount that a path lies on. */
export function mountOf(mounts: readonly Mounted[], path: string): Mounted | undefined {
  const above = mounts.filter(({ place }) => isBelow(path, place))
  const longest = Math.max(...above.map(({ place }) => place.length))
  return above.findLast(({ place }) => place.length === longest)
}

// What a client says of a file, as an entry of a tar: the program that unpacks contexts reads that.
import type { Stat } from '../protocol/session.ts'

const blockBytes = 512
const permissionBits = 0o777
const maxOctalSize = 8 ** 11

/** Bits of Go's `os.FileMode`. */
const goBits = {
  folder: 2 ** 31,
  symlink: 2 ** 27,
  device: 2 ** 26,
  pipe: 2 ** 25,
  socket: 2 ** 24,
  setuid: 2 ** 23,
  setgid: 2 ** 22,
  characterDevice: 2 ** 21,
  sticky: 2 ** 20,
} as const

const has = (mode: number, bit: number): boolean => Math.floor(mode / bit) % 2 === 1

export const isFolder = ({ mode }: Stat): boolean => has(mode, goBits.folder)
const isSocket = ({ mode }: Stat): boolean => has(mode, goBits.socket)

/** It has bytes of its own, which have to be asked for. */
export const hasContent = (stat: Stat): boolean => typeOf(stat) === '0'

/** Nothing can be made of sockets: nobody listens. */
export const isLeftOut = (stat: Stat): boolean => isSocket(stat)

function typeOf(stat: Stat): string {
  if (isFolder(stat)) return '5'
  if (has(stat.mode, goBits.symlink)) return '2'
  if (has(stat.mode, goBits.device)) return has(stat.mode, goBits.characterDevice) ? '3' : '4'
  if (has(stat.mode, goBits.pipe)) return '6'
  return stat.linkname === '' ? '0' : '1'
}

function permissionsOf(mode: number): number {
  const special: [number, number][] = [
    [goBits.setuid, 0o4000],
    [goBits.setgid, 0o2000],
    [goBits.sticky, 0o1000],
  ]
  return special.reduce((sum, [bit, value]) => sum + (has(mode, bit) ? value : 0), mode & permissionBits)
}

/** The head of an entry, and before it what does not fit in there. */
export function tarHead(stat: Stat): Buffer {
  const type = typeOf(stat)
  const name = type === '5' ? `${stat.path}/` : stat.path
  const size = type === '0' ? stat.size : 0n
  const further = furtherOf(stat, name, size)
  const head = headBlock({ name, linkname: stat.linkname, size: Number(size), type, stat })
  if (further.length === 0) return head
  const records = Buffer.concat(further.map(([key, value]) => record(key, value)))
  const before = headBlock({ name: 'further', linkname: '', size: records.length, type: 'x', stat })
  return Buffer.concat([before, records, padding(records.length), head])
}

export const padding = (bytes: number): Buffer => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes)

/** Names of any length and letters, large sizes, extended attributes. */
function furtherOf({ linkname, xattrs }: Stat, name: string, size: bigint): [string, Uint8Array][] {
  const isPlain = (text: string) => text.length <= 100 && /^[ -~]*$/.test(text)
  return [
    ...(isPlain(name) ? [] : [['path', Buffer.from(name)] as [string, Uint8Array]]),
    ...(isPlain(linkname) ? [] : [['linkpath', Buffer.from(linkname)] as [string, Uint8Array]]),
    ...(size < maxOctalSize ? [] : [['size', Buffer.from(String(size))] as [string, Uint8Array]]),
    ...[...xattrs].map(([key, value]): [string, Uint8Array] => [`SCHILY.xattr.${key}`, value]),
  ]
}

/** `length key=value\n`, where the length counts its own digits. */
function record(key: string, value: Uint8Array): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')])
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

interface Head {
  name: string
  linkname: string
  size: number
  type: string
  stat: Stat
}

function headBlock({ name, linkname, size, type, stat }: Head): Buffer {
  const block = Buffer.alloc(blockBytes)
  const number = (value: number, at: number, digits: number) =>
    block.write(`${Math.max(0, value).toString(8).padStart(digits, '0').slice(-digits)}\0`, at)
  block.write(name.slice(0, 100), 0, 100)
  number(permissionsOf(stat.mode), 100, 7)
  number(stat.uid < 8 ** 7 ? stat.uid : 0, 108, 7)
  number(stat.gid < 8 ** 7 ? stat.gid : 0, 116, 7)
  number(size < maxOctalSize ? size : 0, 124, 11)
  number(Number(stat.modTime / 1_000_000_000n), 136, 11)
  block.write('        ', 148)
  block.write(type, 156)
  block.write(linkname.slice(0, 100), 157, 100)
  block.write('ustar\x0000', 257)
  number(Number(stat.devMajor), 329, 7)
  number(Number(stat.devMinor), 337, 7)
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

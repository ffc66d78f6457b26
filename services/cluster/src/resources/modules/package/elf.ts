// The head of a shared object: what machine it is built for.
import * as errors from '../../../errors.ts'

export type Architecture = 'x86_64' | 'aarch64'

export const elfHeadBytes = 64

const magic = Buffer.from([0x7f, 0x45, 0x4c, 0x46])
const is64Bit = 2
const isLittleEndian = 1
const sharedObject = 3
const machines = new Map<number, Architecture>([
  [62, 'x86_64'],
  [183, 'aarch64'],
])

const spellings = new Map<string, Architecture>([
  ['x86_64', 'x86_64'],
  ['x86-64', 'x86_64'],
  ['amd64', 'x86_64'],
  ['x64', 'x86_64'],
  ['aarch64', 'aarch64'],
  ['arm64', 'aarch64'],
])

/** By any of its usual names. */
export const architectureOf = (name: string): Architecture | undefined => spellings.get(name.toLowerCase())

export function readElfArchitecture(head: Buffer, name: string): Architecture {
  if (head.length < elfHeadBytes || !head.subarray(0, 4).equals(magic)) {
    throw errors.invalidModule(`${name} is no shared object: it does not begin as an ELF file does.`)
  }
  const isReadable = head[4] === is64Bit && head[5] === isLittleEndian
  const machine = isReadable ? machines.get(head.readUInt16LE(18)) : undefined
  if (machine === undefined) throw errors.invalidModule(`${name} is built for a machine that is not known here.`)
  if (head.readUInt16LE(16) !== sharedObject)
    throw errors.invalidModule(`${name} is an ELF file, but no shared object.`)
  return machine
}

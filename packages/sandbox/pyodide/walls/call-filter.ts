// The kernel's filter of system calls, as the program it wants: a list of allowed ones, and nothing else. Calls that are
// not in it fail as on a kernel that does not know them, so libraries fall back to others.
import type { SystemCalls } from './system-calls.ts'

const allow = 0x7fff0000
const kill = 0x80000000
const errno = 0x00050000
const notPermitted = 1
const notImplemented = 38

/** Where the kernel puts what the filter looks at. */
const numberAt = 0
const architectureAt = 4
const argumentAt = (index: number): number => 16 + index * 8

const load = 0x20
const ifEqual = 0x15
const ifBits = 0x45
const answer = 0x06

/** A thread is a clone with this, and with none of a new namespace. */
const cloneThread = 0x10000
const newNamespaces = 0x7e020000
/** Shared memory is in nobody's limit. */
const mapShared = 1
const setName = 15
const nameMemory = 0x53564d41
const terminalSettings = 0x5401
const bytesWaiting = 0x541b
const nonBlocking = 0x5421
const closeOnExec = 0x5451
/** Copies and flags of descriptors; not whose signal it is when one is ready. */
const descriptorCalls = [0, 1, 2, 3, 4, 1030]

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number]

const fail = (error: number): Instruction => [answer, 0, 0, errno | error]
const succeed: Instruction = [answer, 0, 0, allow]

export function callFilter({ auditName, always, sometimes }: SystemCalls): Buffer {
  return assemble([
    [load, 0, 0, architectureAt],
    [ifEqual, 1, 0, auditName],
    [answer, 0, 0, kill],
    [load, 0, 0, numberAt],
    ...always.flatMap((number): Instruction[] => [[ifEqual, 0, 1, number], succeed]),
    ...only(sometimes.clone, [
      [load, 0, 0, argumentAt(0)],
      [ifBits, 2, 0, newNamespaces],
      [ifBits, 0, 1, cloneThread],
      succeed,
    ]),
    ...only(sometimes.mmap, [[load, 0, 0, argumentAt(3)], [ifBits, 1, 0, mapShared], succeed]),
    ...only(sometimes.prctl, oneOf(0, [setName, nameMemory])),
    ...only(sometimes.ioctl, oneOf(1, [terminalSettings, bytesWaiting, nonBlocking, closeOnExec])),
    ...only(sometimes.fcntl, oneOf(1, descriptorCalls)),
    ...only(sometimes.prlimit64, oneOf(0, [0])),
    fail(notImplemented),
  ])
}

/** When it is this call: what `check` lets through, and an error for the rest. */
const only = (number: number, check: Instruction[]): Instruction[] => [
  [ifEqual, 0, check.length + 1, number],
  ...check,
  fail(notPermitted),
]

const oneOf = (argument: number, values: number[]): Instruction[] => [
  [load, 0, 0, argumentAt(argument)],
  ...values.flatMap((value): Instruction[] => [[ifEqual, 0, 1, value], succeed]),
]

function assemble(instructions: Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8)
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  })
  return bytes
}

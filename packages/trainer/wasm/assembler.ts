// WebAssembly written down instruction by instruction, as far as the trainer needs it: no compiler has to be there, and
// nothing binary is kept.
export type Code = readonly number[]

export const types = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const
type ValueType = (typeof types)[keyof typeof types]

/** Parameters come first, then locals, numbered in the order in which they are asked for. */
export class Locals {
  readonly #parameters: ValueType[]
  readonly #more: ValueType[] = []

  constructor(parameters: ValueType[]) {
    this.#parameters = parameters
  }

  add(type: ValueType): number {
    this.#more.push(type)
    return this.#parameters.length + this.#more.length - 1
  }

  many(count: number, type: ValueType): number[] {
    return Array.from({ length: count }, () => this.add(type))
  }

  named<Name extends string>(type: ValueType, ...names: Name[]): Record<Name, number> {
    return Object.fromEntries(names.map((name) => [name, this.add(type)])) as Record<Name, number>
  }

  get signature(): Code {
    return [0x60, ...list(this.#parameters.map((type) => [type])), 0]
  }

  body(code: Code): Code {
    const locals = list(this.#more.map((type) => [1, type]))
    const bytes = [...locals, ...code, 0x0b]
    return [...unsigned(bytes.length), ...bytes]
  }
}

export interface WasmFunction {
  locals: Locals
  code: Code
  /** Absent: only other functions call it. */
  name?: string
}

/** A module over a shared memory that its user brings along as `host.memory`. */
export function moduleOf(functions: readonly WasmFunction[]): Uint8Array {
  const exported = functions.flatMap(({ name }, index) => (name === undefined ? [] : [{ name, index }]))
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, list(functions.map(({ locals }) => locals.signature))),
    ...section(2, list([[...text('host'), ...text('memory'), 0x02, 0x03, 0, ...unsigned(maxPages)]])),
    ...section(3, list(functions.map((_, index) => unsigned(index)))),
    ...section(7, list(exported.map(({ name, index }) => [...text(name), 0x00, ...unsigned(index)]))),
    ...section(10, list(functions.map(({ locals, code }) => locals.body(code)))),
  ])
}

/** 4 GiB, all that 32 bits can name. */
export const maxPages = 65_536

export const number = (value: number): Code => [0x41, ...signed(value)]
export const get = (local: number): Code => [0x20, ...unsigned(local)]
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)]
const folded = (operation: Code, [first = [], ...others]: Code[]): Code => [
  ...first,
  ...others.flatMap((value) => [...value, ...operation]),
]
export const add = (...values: Code[]): Code => folded([0x6a], values)
export const subtract = (value: Code, by: Code): Code => [...value, ...by, 0x6b]
export const multiply = (value: Code, by: Code): Code => [...value, ...by, 0x6c]
/** Of four-byte numbers, how many bytes. */
export const inBytes = (value: Code): Code => [...value, ...number(2), 0x74]
export const and = (value: Code, other: Code): Code => [...value, ...other, 0x71]
export const isLess = (value: Code, than: Code): Code => [...value, ...than, 0x49]
export const isEqual = (value: Code, other: Code): Code => [...value, ...other, 0x46]
export const isZero = (value: Code): Code => [...value, 0x45]
export const smaller = (value: Code, other: Code): Code => [...value, ...other, ...isLess(value, other), 0x1b]
export const choose = (condition: Code, value: Code, other: Code): Code => [...value, ...other, ...condition, 0x1b]
/** local += by */
export const increase = (local: number, by: Code): Code => set(local, add(get(local), by))

export const loopWhile = (condition: Code, body: Code): Code => [
  ...[0x02, 0x40, 0x03, 0x40, ...isZero(condition), 0x0d, 1],
  ...[...body, 0x0c, 0, 0x0b, 0x0b],
]
/** At least once. */
export const repeatWhile = (condition: Code, body: Code): Code => [0x03, 0x40, ...body, ...condition, 0x0d, 0, 0x0b]
export const when = (condition: Code, then: Code, otherwise: Code = []): Code => [
  ...[...condition, 0x04, 0x40, ...then],
  ...(otherwise.length > 0 ? [0x05, ...otherwise] : []),
  0x0b,
]
export const call = (index: number, ...values: Code[]): Code => [...values.flat(), 0x10, ...unsigned(index)]

/** Two bytes, without a sign. */
export const loadShort = (from: Code, offset = 0): Code => [...from, 0x2f, 0, ...unsigned(offset)]
export const shiftLeft = (value: Code, bits: number): Code => [...value, ...number(bits), 0x74]

export const f32 = {
  constant: (value: number): Code => [0x43, ...bytesOf(value)],
  load: (from: Code, offset = 0): Code => [...from, 0x2a, 2, ...unsigned(offset)],
  store: (to: Code, value: Code, offset = 0): Code => [...to, ...value, 0x38, 2, ...unsigned(offset)],
  add: (...values: Code[]): Code => folded([0x92], values),
  divide: (value: Code, by: Code): Code => [...value, ...by, 0x95],
  larger: (...values: Code[]): Code => folded([0x97], values),
  multiply: (...values: Code[]): Code => folded([0x94], values),
  root: (value: Code): Code => [...value, 0x91],
  fromWhole: (value: Code): Code => [...value, 0xb3],
  withSignOf: (value: Code, other: Code): Code => [...value, ...other, 0x98],
  /** The number with these bits. */
  ofBits: (value: Code): Code => [...value, 0xbe],
}

const vector = (code: number, ...more: number[]): Code => [0xfd, ...unsigned(code), ...more]
const binary =
  (code: number) =>
  (value: Code, other: Code): Code => [...value, ...other, ...vector(code)]

/** Four numbers at a time. */
export const v128 = {
  load: (from: Code, offset = 0): Code => [...from, ...vector(0x00, 2, ...unsigned(offset))],
  /** One number, four times. */
  loadSplat: (from: Code, offset = 0): Code => [...from, ...vector(0x09, 2, ...unsigned(offset))],
  store: (to: Code, value: Code, offset = 0): Code => [...to, ...value, ...vector(0x0b, 2, ...unsigned(offset))],
  splat: (value: Code): Code => [...value, ...vector(0x13)],
  all: (value: number): Code => [...f32.constant(value), ...vector(0x13)],
  lane: (value: Code, lane: number): Code => [...value, ...vector(0x1f, lane)],
  add: binary(0xe4),
  subtract: binary(0xe5),
  multiply: binary(0xe6),
  divide: binary(0xe7),
  smaller: binary(0xe8),
  larger: binary(0xe9),
  and: binary(0x4e),
  or: binary(0x50),
  shiftLeft: (value: Code, bits: number): Code => [...value, ...number(bits), ...vector(0xab)],
  /** Four times the same bits. */
  allBits: (bits: number): Code => [...number(bits), ...vector(0x11)],
  /** From anywhere, in bytes. */
  loadBytes: (from: Code, offset = 0): Code => [...from, ...vector(0x00, 0, ...unsigned(offset))],
  /** Four numbers of two bytes, as whole ones. */
  loadShorts: (from: Code, offset = 0): Code => [...from, ...vector(0x04, 0, ...unsigned(offset))],
  /** Sixteen signed bytes as four vectors of numbers. */
  fromBytes: (bytes: Code): Code[] =>
    [0x87, 0x88].flatMap((half) =>
      [0xa7, 0xa8].map((quarter) => [...bytes, ...vector(half), ...vector(quarter), ...vector(0xfa)]),
    ),
  /** Numbers of both, chosen by their places: 0 to 3 in the first, 4 to 7 in the second. */
  choose: (value: Code, other: Code, places: readonly [number, number, number, number]): Code => [
    ...[...value, ...other],
    ...vector(0x0d, ...places.flatMap((place) => [0, 1, 2, 3].map((byte) => 4 * place + byte))),
  ],
  negate: (value: Code): Code => [...value, ...vector(0xe1)],
  nearest: (value: Code): Code => [...value, ...vector(0x6a)],
  /** value · by + plus, in one rounding where the machine can. */
  multiplyAdd: (value: Code, by: Code, plus: Code): Code => [...value, ...by, ...plus, ...vector(0x105)],
  /** 2 to the power of whole numbers. */
  powerOfTwo: (value: Code): Code => [
    ...[...value, ...vector(0xf8), ...number(127), ...vector(0x11), ...vector(0xae)],
    ...[...number(23), ...vector(0xab)],
  ],
}

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content]
const list = (entries: readonly Code[]): Code => [...unsigned(entries.length), ...entries.flat()]
const text = (value: string): Code => list([...Buffer.from(value)].map((byte) => [byte]))
const bytesOf = (value: number): Code => [...Buffer.from(Float32Array.of(value).buffer)]

function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: number): Code {
  const low = value & 0x7f
  const rest = value >> 7
  const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}

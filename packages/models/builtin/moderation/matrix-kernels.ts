// The loops in which the models spend their time, as WebAssembly with vectors of four numbers. They are written
// down here instruction by instruction: no compiler is needed, and nothing binary is kept.
type Code = readonly number[]

/** What is used of it; Node's own types leave it to the browser's. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (size: { initial: number }) => KernelMemory
    instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: unknown } }>
  }
}

interface KernelMemory {
  buffer: ArrayBuffer
}

export interface MatrixKernels {
  memory: KernelMemory
  /**
   * Four rows' channels times a table of weights, plus offsets; `outs` is a multiple of 8. The table may be a part of a
   * wider one: a row of the result has `rowOuts` numbers.
   */
  multiply(
    values: number,
    weights: number,
    result: number,
    channels: number,
    outs: number,
    offsets: number,
    rowOuts: number,
  ): void
  /** result += values · weights, number by number; `bytes` is a multiple of 16. */
  multiplyAdd(result: number, values: number, weights: number, bytes: number): void
  /** Cuts off below 0 and above 6; `bytes` is a multiple of 16. */
  bound(values: number, bytes: number): void
  /** Cuts off below 0; `bytes` is a multiple of 16. */
  cutNegative(values: number, bytes: number): void
}

export async function compileKernels(memoryBytes: number): Promise<MatrixKernels> {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / 65_536) })
  const { instance } = await WebAssembly.instantiate(Uint8Array.from(kernelModule()), { host: { memory } })
  return { memory, ...(instance.exports as Omit<MatrixKernels, 'memory'>) }
}

const number32 = 0x7f
const vector = 0x7b
const get = (local: number): Code => [0x20, local]
const set = (local: number): Code => [0x21, local]
const constant = (value: number): Code => [0x41, value]
const add: Code = [0x6a]
const load = (from: Code, offset = 0): Code => [...from, 0xfd, 0x00, 2, offset]
const loadToAll = (from: Code): Code => [...from, 0xfd, 0x09, 2, 0]
const store = (to: Code, value: Code): Code => [...to, ...value, 0xfd, 0x0b, 2, 0]
const plus: Code = [0xfd, 0xe4, 0x01]
const times: Code = [0xfd, 0xe6, 0x01]
/** Rounded once or twice, as the machine likes it best. */
const timesPlus: Code = [0xfd, 0x85, 0x02]
const least: Code = [0xfd, 0xe8, 0x01]
const most: Code = [0xfd, 0xe9, 0x01]
const end = 0x0b
/** local += by */
const step = (local: number, by: Code): Code => [...get(local), ...by, ...add, ...set(local)]
/** Again while `local` is below `limit`. */
const repeat = (body: Code, local: number, limit: number): Code => [
  ...[0x03, 0x40, ...body, ...get(local), ...get(limit), 0x49],
  ...[0x0d, 0, end],
]

function multiplyBody(): Code {
  const [values, weights, result, channels, outs, offsets, rowOuts] = [0, 1, 2, 3, 4, 5, 6]
  const [at, valuesEnd, weight, target, pixel] = [7, 8, 9, 10, 11]
  const pixels = [pixel, pixel + 1, pixel + 2, pixel + 3]
  const [low, high, value, sums] = [15, 16, 17, 18]
  const inBytes = (local: number): Code => [...get(local), ...constant(2), 0x74, ...set(local)]
  const gather = pixels.flatMap((from, nth) => [
    ...[...loadToAll(get(from)), ...set(value)],
    ...[low, high].flatMap((row, half) => {
      const sum = sums + 2 * nth + half
      return [...get(value), ...get(row), ...get(sum), ...timesPlus, ...set(sum)]
    }),
    ...step(from, constant(4)),
  ])
  const eachChannel = [
    ...[...load(get(weight)), ...set(low), ...load(get(weight), 16), ...set(high)],
    ...[...gather, ...step(weight, get(outs))],
  ]
  const eachOuts = [
    ...pixels.flatMap((_, nth) =>
      [0, 1].flatMap((half) => [
        ...load([...get(offsets), ...get(at), ...add], 16 * half),
        ...set(sums + 2 * nth + half),
      ]),
    ),
    ...[...get(values), ...set(pixel)],
    ...pixels.slice(1).flatMap((next) => [...get(next - 1), ...get(channels), ...add, ...set(next)]),
    ...[...get(pixel + 1), ...set(valuesEnd), ...get(weights), ...get(at), ...add, ...set(weight)],
    ...repeat(eachChannel, pixel, valuesEnd),
    ...[...get(result), ...get(at), ...add, ...set(target)],
    ...pixels.flatMap((_, nth) => [
      ...store(get(target), get(sums + 2 * nth)),
      ...store([...get(target), ...constant(16), ...add], get(sums + 2 * nth + 1)),
      ...step(target, get(rowOuts)),
    ]),
    ...step(at, constant(32)),
  ]
  return [...inBytes(channels), ...inBytes(outs), ...inBytes(rowOuts), ...repeat(eachOuts, at, outs), end]
}

function multiplyAddBody(): Code {
  const [result, values, weights, bytes] = [0, 1, 2, 3]
  const sum = [...load(get(result)), ...load(get(values)), ...load(get(weights)), ...times, ...plus]
  const body = [...store(get(result), sum), ...[result, values, weights].flatMap((local) => step(local, constant(16)))]
  return [...step(bytes, get(result)), ...repeat(body, result, bytes), end]
}

function boundBody(...limits: Code[]): Code {
  const [values, bytes] = [0, 1]
  const cut = [...load(get(values)), ...limits.flat()]
  return [
    ...step(bytes, get(values)),
    ...[...repeat([...store(get(values), cut), ...step(values, constant(16))], values, bytes), end],
  ]
}

const all = (number: number): Code => [0x43, ...new Uint8Array(Float32Array.of(number).buffer), 0xfd, 0x13]
const notBelow0: Code = [...all(0), ...most]
const notAbove6: Code = [...all(6), ...least]

interface Kernel {
  name: string
  parameters: number
  /** Besides the parameters: plain numbers, then vectors. */
  locals: readonly [number, number]
  body: Code
}

function kernelModule(): Code {
  const kernels: Kernel[] = [
    { name: 'multiply', parameters: 7, locals: [8, 11], body: multiplyBody() },
    { name: 'multiplyAdd', parameters: 4, locals: [0, 0], body: multiplyAddBody() },
    { name: 'bound', parameters: 2, locals: [0, 0], body: boundBody(notBelow0, notAbove6) },
    { name: 'cutNegative', parameters: 2, locals: [0, 0], body: boundBody(notBelow0) },
  ]
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(kernels.map(({ parameters }) => [0x60, parameters, ...Array(parameters).fill(number32), 0]))),
    ...section(2, list([[...text('host'), ...text('memory'), 0x02, 0x00, 1]])),
    ...section(3, list(kernels.map((_, at) => [at]))),
    ...section(7, list(kernels.map(({ name }, at) => [...text(name), 0x00, at]))),
    ...section(10, list(kernels.map(functionCode))),
  ]
}

function functionCode({ locals: [numbers, vectors], body }: Kernel): Code {
  const code = [2, numbers, number32, vectors, vector, ...body]
  return [...size(code.length), ...code]
}

const section = (id: number, content: Code): Code => [id, ...size(content.length), ...content]
const list = (items: readonly Code[]): Code => [...size(items.length), ...items.flat()]
const text = (name: string): Code => [name.length, ...Buffer.from(name)]
/** LEB128 */
const size = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...size(value >>> 7)])

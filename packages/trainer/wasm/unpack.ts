// Matrices as files write them down, made numbers of four bytes: the ways that most files use.
import {
  and,
  type Code,
  f32,
  get,
  increase,
  Locals,
  loadShort,
  loopWhile,
  number,
  set,
  shiftLeft,
  types,
  v128,
  type WasmFunction,
} from './assembler.ts'

const { i32, f32: single, v128: vector } = types

const signBit = 0x8000
const otherBits = 0x7fff
/** Between the exponents of numbers of two and of four bytes. */
const exponents = 2 ** 112

/** Exports `unpackBytes(from, to, blocks)`: Q8_0, whose blocks are a scale of two bytes and 32 signed bytes. */
export function unpackBytesFunction(): WasmFunction {
  const locals = new Locals([i32, i32, i32])
  const [from, to, blocks] = [0, 1, 2]
  const [scale, factor, bytes] = [locals.add(single), locals.add(vector), locals.add(vector)]
  const half = loadShort(get(from))
  const size = f32.multiply(f32.ofBits(shiftLeft(and(half, number(otherBits)), 13)), f32.constant(exponents))
  const code = loopWhile(get(blocks), [
    ...set(scale, f32.withSignOf(size, f32.ofBits(shiftLeft(and(half, number(signBit)), 16)))),
    ...set(factor, v128.splat(get(scale))),
    ...[0, 1].flatMap((nth) => [
      ...set(bytes, v128.loadBytes(get(from), 2 + 16 * nth)),
      ...v128
        .fromBytes(get(bytes))
        .flatMap((numbers, quarter) =>
          v128.store(get(to), v128.multiply(numbers, get(factor)), 64 * nth + 16 * quarter),
        ),
    ]),
    ...increase(from, number(34)),
    ...increase(to, number(128)),
    ...increase(blocks, number(-1)),
  ])
  return { locals, code, name: 'unpackBytes' }
}

/** Exports `unpackHalves(from, to, count)`: F16. `count` is a multiple of 4. */
export function unpackHalvesFunction(): WasmFunction {
  const bits = (halves: number): Code => {
    const magnitude = v128.shiftLeft(v128.and(get(halves), v128.allBits(otherBits)), 13)
    const sign = v128.shiftLeft(v128.and(get(halves), v128.allBits(signBit)), 16)
    return v128.or(v128.multiply(magnitude, v128.all(exponents)), sign)
  }
  return unpackShorts('unpackHalves', bits)
}

/** Exports `unpackShortened(from, to, count)`: BF16. `count` is a multiple of 4. */
export function unpackShortenedFunction(): WasmFunction {
  return unpackShorts('unpackShortened', (halves) => v128.shiftLeft(get(halves), 16))
}

function unpackShorts(name: string, numbersOf: (halves: number) => Code): WasmFunction {
  const locals = new Locals([i32, i32, i32])
  const [from, to, count] = [0, 1, 2]
  const halves = locals.add(vector)
  const code = loopWhile(get(count), [
    ...set(halves, v128.loadShorts(get(from))),
    ...v128.store(get(to), numbersOf(halves)),
    ...increase(from, number(8)),
    ...increase(to, number(16)),
    ...increase(count, number(-4)),
  ])
  return { locals, code, name }
}

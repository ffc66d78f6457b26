// The row operations around exponentials: softmax and the gated unit, with their ways back.
import {
  add,
  type Code,
  f32,
  get,
  inBytes,
  increase,
  isLess,
  Locals,
  loopWhile,
  number,
  set,
  types,
  v128,
  type WasmFunction,
} from './assembler.ts'

const { i32, f32: single, v128: vector } = types
/** Far below every score, and no infinity. */
const veryLow = -1e30

/** Minimax coefficients of 2^x between -0.5 and 0.5, highest first. */
const powers = [0.0013333558, 0.0096181291, 0.0555041087, 0.2402265069, Math.LN2, 1]

class Exponential {
  readonly #scaled: number
  readonly #whole: number

  constructor(locals: Locals) {
    this.#scaled = locals.add(vector)
    this.#whole = locals.add(vector)
  }

  /** `result` = e to the power of `value`. */
  of(value: Code, result: number): Code {
    const bounded = v128.larger(v128.smaller(value, v128.all(88)), v128.all(-87))
    const part = get(this.#scaled)
    const [highest = 0, ...others] = powers
    const series = others.reduce((sum, power) => v128.add(v128.multiply(sum, part), v128.all(power)), v128.all(highest))
    return [
      ...set(this.#scaled, v128.multiply(bounded, v128.all(Math.LOG2E))),
      ...set(this.#whole, v128.nearest(get(this.#scaled))),
      ...set(this.#scaled, v128.subtract(part, get(this.#whole))),
      ...set(result, v128.multiply(series, v128.powerOfTwo(get(this.#whole)))),
    ]
  }
}

const lanes = (value: number): Code[] => [0, 1, 2, 3].map((lane) => v128.lane(get(value), lane))

/**
 * Exports `softmax(row, valid, width, scale)`: of the first `valid` numbers, each times `scale`; the others of `width`,
 * a multiple of 4, become 0.
 */
export function softmaxFunction(): WasmFunction {
  const locals = new Locals([i32, i32, i32, single])
  const [row, valid, width, scale] = [0, 1, 2, 3]
  const [at, end] = [locals.add(i32), locals.add(i32)]
  const [factor, most, sum, value] = locals.many(4, vector) as [number, number, number, number]
  const exponential = new Exponential(locals)
  const eachVector = (code: Code): Code => [
    ...set(at, get(row)),
    ...loopWhile(isLess(get(at), get(end)), [...code, ...increase(at, number(16))]),
  ]
  const code = [
    ...set(end, add(get(row), inBytes(get(width)))),
    ...set(at, add(get(row), inBytes(get(valid)))),
    ...loopWhile(isLess(get(at), get(end)), [...f32.store(get(at), f32.constant(veryLow)), ...increase(at, number(4))]),
    ...set(factor, v128.splat(get(scale))),
    ...set(most, v128.all(veryLow)),
    ...eachVector(set(most, v128.larger(get(most), v128.load(get(at))))),
    ...set(most, v128.multiply(v128.splat(f32.larger(...lanes(most))), get(factor))),
    ...set(sum, v128.all(0)),
    ...eachVector([
      ...exponential.of(v128.subtract(v128.multiply(v128.load(get(at)), get(factor)), get(most)), value),
      ...v128.store(get(at), get(value)),
      ...set(sum, v128.add(get(sum), get(value))),
    ]),
    ...set(factor, v128.splat(f32.divide(f32.constant(1), f32.add(...lanes(sum))))),
    ...eachVector(v128.store(get(at), v128.multiply(v128.load(get(at)), get(factor)))),
    // What was cut off by the least exponent is no exact 0 yet.
    ...set(at, add(get(row), inBytes(get(valid)))),
    ...loopWhile(isLess(get(at), get(end)), [...f32.store(get(at), f32.constant(0)), ...increase(at, number(4))]),
  ]
  return { locals, code, name: 'softmax' }
}

/**
 * Exports `softmaxBack(probabilities, changes, width, scale)`: changes of probabilities become those of scores. Behind
 * what is valid the probabilities are 0, and so the changes become.
 */
export function softmaxBackFunction(): WasmFunction {
  const locals = new Locals([i32, i32, i32, single])
  const [row, changes, width, scale] = [0, 1, 2, 3]
  const { at, change, end } = locals.named(i32, 'at', 'change', 'end')
  const { sum, factor } = locals.named(vector, 'sum', 'factor')
  const eachVector = (code: Code): Code => [
    ...set(at, get(row)),
    ...set(change, get(changes)),
    ...loopWhile(isLess(get(at), get(end)), [...code, ...increase(at, number(16)), ...increase(change, number(16))]),
  ]
  const code = [
    ...set(end, add(get(row), inBytes(get(width)))),
    ...set(factor, v128.splat(get(scale))),
    ...set(sum, v128.all(0)),
    ...eachVector(set(sum, v128.add(get(sum), v128.multiply(v128.load(get(at)), v128.load(get(change)))))),
    ...set(sum, v128.splat(f32.add(...lanes(sum)))),
    ...eachVector(
      v128.store(
        get(change),
        v128.multiply(v128.multiply(v128.load(get(at)), v128.subtract(v128.load(get(change)), get(sum))), get(factor)),
      ),
    ),
  ]
  return { locals, code, name: 'softmaxBack' }
}

/** Exports `gated(gate, up, result, count)`: gate · sigmoid(gate) · up. */
export function gatedFunction(): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32])
  const [gate, up, result, count] = [0, 1, 2, 3]
  const [end, value, power] = [locals.add(i32), locals.add(vector), locals.add(vector)]
  const exponential = new Exponential(locals)
  const code = [
    ...set(end, add(get(gate), inBytes(get(count)))),
    ...loopWhile(isLess(get(gate), get(end)), [
      ...set(value, v128.load(get(gate))),
      ...exponential.of(v128.negate(get(value)), power),
      ...v128.store(
        get(result),
        v128.multiply(v128.divide(get(value), v128.add(v128.all(1), get(power))), v128.load(get(up))),
      ),
      ...[gate, up, result].flatMap((pointer) => increase(pointer, number(16))),
    ]),
  ]
  return { locals, code, name: 'gated' }
}

/** Exports `gatedBack(gate, up, change, count)`: `gate` and `up` are replaced by what they change, given `change`. */
export function gatedBackFunction(): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32])
  const [gate, up, change, count] = [0, 1, 2, 3]
  const end = locals.add(i32)
  const [value, power, sigmoid, swish, given] = locals.many(5, vector) as [number, number, number, number, number]
  const exponential = new Exponential(locals)
  const one = v128.all(1)
  const slope = v128.add(get(sigmoid), v128.multiply(get(swish), v128.subtract(one, get(sigmoid))))
  const code = [
    ...set(end, add(get(gate), inBytes(get(count)))),
    ...loopWhile(isLess(get(gate), get(end)), [
      ...set(value, v128.load(get(gate))),
      ...set(given, v128.load(get(change))),
      ...exponential.of(v128.negate(get(value)), power),
      ...set(sigmoid, v128.divide(one, v128.add(one, get(power)))),
      ...set(swish, v128.multiply(get(value), get(sigmoid))),
      ...v128.store(get(gate), v128.multiply(v128.multiply(get(given), v128.load(get(up))), slope)),
      ...v128.store(get(up), v128.multiply(get(given), get(swish))),
      ...[gate, up, change].flatMap((pointer) => increase(pointer, number(16))),
    ]),
  ]
  return { locals, code, name: 'gatedBack' }
}

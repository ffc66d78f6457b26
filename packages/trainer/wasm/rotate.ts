// Queries and keys of one token turned by its position: a number with its neighbour, or with the one half a head away.
import {
  add,
  type Code,
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

/**
 * Exports `rotateNeighbours(data, heads, headSize, cosines, sines, size, direction)`: of each head the first `size`
 * numbers, a multiple of 4. Each angle stands twice in the tables, its sine first with a minus.
 */
export function rotateNeighboursFunction(): WasmFunction {
  return rotation('rotateNeighbours', (here, cosine, sine) => {
    const value = v128.load(here)
    const turned = v128.multiply(v128.choose(value, value, [1, 0, 3, 2]), sine)
    return v128.store(here, v128.add(v128.multiply(value, cosine), turned))
  })
}

/**
 * Exports `rotateHalves(data, heads, headSize, cosines, sines, size, direction)`: of each head the first `size` numbers
 * with those `size` further on, a multiple of 4.
 */
export function rotateHalvesFunction(): WasmFunction {
  return rotation('rotateHalves', (here, cosine, sine, { first, second, size }) => [
    ...set(first, v128.load(here)),
    ...set(second, v128.load(add(here, inBytes(get(size))))),
    ...v128.store(here, v128.subtract(v128.multiply(get(first), cosine), v128.multiply(get(second), sine))),
    ...v128.store(
      add(here, inBytes(get(size))),
      v128.add(v128.multiply(get(first), sine), v128.multiply(get(second), cosine)),
    ),
  ])
}

type Turn = (here: Code, cosine: Code, sine: Code, locals: { first: number; second: number; size: number }) => Code

function rotation(name: string, turn: Turn): WasmFunction {
  const locals = new Locals([i32, i32, i32, i32, i32, i32, single])
  const [data, heads, headSize, cosines, sines, size, direction] = [0, 1, 2, 3, 4, 5, 6]
  const { at, end } = locals.named(i32, 'at', 'end')
  const { first, second, way } = locals.named(vector, 'first', 'second', 'way')
  const cosine = v128.load(add(get(cosines), get(at)))
  const sine = v128.multiply(v128.load(add(get(sines), get(at))), get(way))
  const code = [
    ...set(way, v128.splat(get(direction))),
    ...set(end, inBytes(get(size))),
    ...loopWhile(get(heads), [
      ...set(at, number(0)),
      ...loopWhile(isLess(get(at), get(end)), [
        ...turn(add(get(data), get(at)), cosine, sine, { first, second, size }),
        ...increase(at, number(16)),
      ]),
      ...increase(data, inBytes(get(headSize))),
      ...increase(heads, number(-1)),
    ]),
  ]
  return { locals, code, name }
}

// A model of one node for onnxruntime, written in its file format: Y = A · B, or Y = A · B + C, with A or B turned.

export interface Turns {
  a: boolean
  b: boolean
}

const [varint, bytes] = [0, 2]
const irVersion = 8
const operators = 13
const [floats, integerAttribute] = [1, 2]

export function gemmModel(turns: Turns, adds: boolean): Uint8Array {
  const inputs = adds ? ['a', 'b', 'c'] : ['a', 'b']
  const node = [
    ...inputs.flatMap((name) => text(1, name)),
    ...text(2, 'y'),
    ...text(4, 'Gemm'),
    ...attribute('transA', turns.a),
    ...attribute('transB', turns.b),
  ]
  const graph = [
    ...message(1, node),
    ...text(2, 'product'),
    ...inputs.flatMap((name) => message(11, matrix(name))),
    ...message(12, matrix('y')),
  ]
  return Uint8Array.from([
    ...integer(1, irVersion),
    ...message(7, graph),
    ...message(8, [...text(1, ''), ...integer(2, operators)]),
  ])
}

const attribute = (name: string, value: boolean): number[] =>
  message(5, [...text(1, name), ...integer(3, value ? 1 : 0), ...integer(20, integerAttribute)])

/** Of any size. */
const matrix = (name: string): number[] => {
  const sizes = [`${name} rows`, `${name} columns`].flatMap((size) => message(1, text(2, size)))
  return [...text(1, name), ...message(2, message(1, [...integer(1, floats), ...message(2, sizes)]))]
}

const number = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...number(value >> 7)])
const integer = (field: number, value: number): number[] => [...number(8 * field + varint), ...number(value)]
const message = (field: number, content: readonly number[]): number[] => [
  ...number(8 * field + bytes),
  ...number(content.length),
  ...content,
]
const text = (field: number, value: string): number[] => message(field, [...Buffer.from(value)])

// Networks written in the file format of ONNX, as far as ours need it.

const [varint, bytes] = [0, 2]
const irVersion = 8
const operatorSets = { '': 17, 'com.microsoft': 1 }
const [integerAttribute, integersAttribute] = [2, 7]
const elementTypes = { float32: 1, uint8: 2, int64: 7 }

export interface OnnxNode {
  operator: string
  inputs: readonly string[]
  output: string
  /** Whole numbers alone. */
  attributes?: Readonly<Record<string, number | readonly number[]>>
  /** Of the engine's own operators. */
  isOwn?: boolean
}

export interface Constant {
  name: string
  sizes: readonly number[]
  values: Float32Array | Uint8Array | BigInt64Array
}

/** Inputs and outputs are matrices of any size. */
export interface OnnxGraph {
  inputs: readonly string[]
  outputs: readonly string[]
  constants: readonly Constant[]
  nodes: readonly OnnxNode[]
}

export function onnxFile({ inputs, outputs, constants, nodes }: OnnxGraph): Uint8Array {
  const graph = [
    ...nodes.map(nodeBytes),
    text(2, 'graph'),
    ...constants.map(constantBytes),
    ...inputs.map((name) => message(11, matrix(name))),
    ...outputs.map((name) => message(12, matrix(name))),
  ]
  const sets = Object.entries(operatorSets).map(([domain, version]) =>
    message(8, [text(1, domain), integer(2, version)]),
  )
  return Buffer.concat([integer(1, irVersion), message(7, graph), ...sets])
}

function nodeBytes({ operator, inputs, output, attributes = {}, isOwn = false }: OnnxNode): Uint8Array {
  return message(1, [
    ...inputs.map((name) => text(1, name)),
    text(2, output),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value))),
    ...(isOwn ? [text(7, 'com.microsoft')] : []),
  ])
}

const attribute = (name: string, value: number | readonly number[]): Uint8Array[] =>
  typeof value === 'number'
    ? [text(1, name), integer(3, value), integer(20, integerAttribute)]
    : [text(1, name), ...value.map((one) => integer(8, one)), integer(20, integersAttribute)]

function constantBytes({ name, sizes, values }: Constant): Uint8Array {
  const type = values instanceof Float32Array ? 'float32' : values instanceof Uint8Array ? 'uint8' : 'int64'
  return message(5, [
    ...sizes.map((size) => integer(1, size)),
    integer(2, elementTypes[type]),
    text(8, name),
    field(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
  ])
}

const matrix = (name: string): Uint8Array[] => {
  const sizes = [`${name} rows`, `${name} columns`].map((size) => message(1, [text(2, size)]))
  return [text(1, name), message(2, [message(1, [integer(1, elementTypes.float32), message(2, sizes)])])]
}

const number = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >>> 7)])
const integer = (at: number, value: number): Uint8Array =>
  Uint8Array.from([...number(8 * at + varint), ...number(value)])
const field = (at: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.from([...number(8 * at + bytes), ...number(content.length)]), content])
const message = (at: number, parts: readonly Uint8Array[]): Uint8Array => field(at, Buffer.concat(parts))
const text = (at: number, value: string): Uint8Array => field(at, Buffer.from(value))

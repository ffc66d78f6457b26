// Writes GGUF files: metadata first, then aligned tensors. Large enough for the models Atoll makes itself.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

export type GgufValue =
  | string
  | boolean
  | { u32: number }
  | { f32: number }
  | { strings: string[] }
  | { i32s: number[] }

export interface GgufTensor {
  name: string
  /** Innermost dimension first, as ggml counts them. */
  shape: number[]
  /** Numbers, or the bytes of one of `tensorTypes`. */
  data: Float32Array | { kind: number; bytes: Uint8Array }
}

const magic = 'GGUF'
const version = 3
const alignment = 32
const types = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const
const tensorF32 = 0

export function writeGguf(file: string, metadata: Record<string, GgufValue>, tensors: readonly GgufTensor[]): void {
  const parts: Buffer[] = [Buffer.from(magic), u32(version), u64(tensors.length), u64(Object.keys(metadata).length)]
  for (const [key, value] of Object.entries(metadata)) parts.push(Buffer.concat([text(key), ...valueBytes(value)]))
  let offset = 0
  const written = tensors.map(({ name, shape, data }) => {
    const kind = data instanceof Float32Array ? tensorF32 : data.kind
    const { buffer, byteOffset, byteLength } = data instanceof Float32Array ? data : data.bytes
    return { name, shape, kind, bytes: Buffer.from(buffer, byteOffset, byteLength) }
  })
  for (const { name, shape, kind, bytes } of written) {
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(kind), u64(offset))
    offset += padded(bytes.length)
  }
  const head = Buffer.concat(parts)
  const fd = openSync(file, 'w')
  try {
    writeSync(fd, head)
    writeSync(fd, Buffer.alloc(padded(head.length) - head.length))
    for (const { bytes } of written) {
      writeSync(fd, bytes)
      writeSync(fd, Buffer.alloc(padded(bytes.length) - bytes.length))
    }
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function valueBytes(value: GgufValue): Buffer[] {
  if (typeof value === 'string') return [u32(types.string), text(value)]
  if (typeof value === 'boolean') return [u32(types.bool), Buffer.from([value ? 1 : 0])]
  if ('u32' in value) return [u32(types.u32), u32(value.u32)]
  if ('f32' in value) return [u32(types.f32), f32(value.f32)]
  if ('strings' in value) return [...arrayHead(types.string, value.strings.length), ...value.strings.map(text)]
  return [...arrayHead(types.i32, value.i32s.length), ...value.i32s.map(i32)]
}

const arrayHead = (type: number, length: number): Buffer[] => [u32(types.array), u32(type), u64(length)]
const padded = (bytes: number): number => Math.ceil(bytes / alignment) * alignment

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

// The head of a GGUF file that is another one's with some tensors written differently.
import type { FileHandle } from 'node:fs/promises'
import type { GgufParts } from '@atoll/models/gguf/read'
import type { Tensor } from '@atoll/models/gguf/tensors'

interface Entry {
  tensor: Tensor
  kind: number
  bytes: number
}

/** Magic, version, and the two counts. */
const countsEnd = 24
const fileTypeKey = 'general.file_type'
const mostlyQ8 = 7
const u32Type = 4

export async function ggufHead(from: FileHandle, parts: GgufParts, entries: readonly Entry[]): Promise<Buffer> {
  const { alignment, metadata } = parts
  const head = Buffer.alloc(metadata.end)
  await from.read(head, 0, head.length, 0)
  const isRewritten = entries.some(({ tensor, kind }) => tensor.kind !== kind)
  if (isRewritten) tellFileType(head.subarray(countsEnd))
  let offset = 0
  const table = entries.map(({ tensor, kind, bytes }) => {
    const row = tensorRow(tensor, kind, offset)
    offset += Math.ceil(bytes / alignment) * alignment
    return row
  })
  const whole = Buffer.concat([head, ...table])
  return Buffer.concat([whole, Buffer.alloc((alignment - (whole.length % alignment)) % alignment)])
}

function tensorRow({ name, shape }: Tensor, kind: number, offset: number): Buffer {
  const text = Buffer.from(name)
  const row = Buffer.alloc(8 + text.length + 4 + 8 * shape.length + 4 + 8)
  let at = row.writeBigUInt64LE(BigInt(text.length), 0)
  at += text.copy(row, at)
  at = row.writeUInt32LE(shape.length, at)
  for (const size of shape) at = row.writeBigUInt64LE(BigInt(size), at)
  at = row.writeUInt32LE(kind, at)
  row.writeBigUInt64LE(BigInt(offset), at)
  return row
}

/** What most tensors are written as, where the file tells it: no program needs it, people read it. */
function tellFileType(metadata: Buffer): void {
  const key = Buffer.alloc(8 + fileTypeKey.length + 4)
  key.writeBigUInt64LE(BigInt(fileTypeKey.length), 0)
  key.write(fileTypeKey, 8)
  key.writeUInt32LE(u32Type, 8 + fileTypeKey.length)
  const at = metadata.indexOf(key)
  if (at >= 0) metadata.writeUInt32LE(mostlyQ8, at + key.length)
}

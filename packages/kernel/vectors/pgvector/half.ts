// A vector as pgvector receives it: how many numbers there are, then each in 16 bits, the highest byte first.

const headBytes = 4
const bytesPerNumber = 2

export function halfBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(headBytes + vector.length * bytesPerNumber)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  view.setUint16(0, vector.length)
  for (const [at, number] of vector.entries()) view.setFloat16(headBytes + at * bytesPerNumber, number)
  return bytes
}

import { Buffer } from 'node:buffer'
import type { DocumentSource } from '../documents.ts'

export const fileOf = (filename: string, content: string | Uint8Array): DocumentSource => {
  const bytes = Buffer.from(content)
  return {
    filename,
    bytes: bytes.length,
    async *read() {
      yield bytes
    },
  }
}

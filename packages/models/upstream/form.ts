// A multipart form for a model server.
import { randomUUID } from 'node:crypto'

export type FormPart =
  | { name: string; value: string }
  | { name: string; filename: string; type: string; bytes: Uint8Array }

export interface EncodedForm {
  contentType: string
  body: Buffer
}

export function encodeForm(parts: readonly FormPart[]): EncodedForm {
  const boundary = `atoll-${randomUUID()}`
  const pieces = parts.flatMap((part) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${part.name}"`
    if ('value' in part) return [Buffer.from(`${head}\r\n\r\n${part.value}\r\n`)]
    return [
      Buffer.from(`${head}; filename="${quoted(part.filename)}"\r\ncontent-type: ${part.type}\r\n\r\n`),
      part.bytes,
      Buffer.from('\r\n'),
    ]
  })
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** As browsers write it: a name cannot end its own quotes or line. */
const quoted = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

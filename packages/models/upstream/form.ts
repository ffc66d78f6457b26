// A multipart form for a model server.
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'

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

/** With one file that is read from the disk while it is sent. */
export async function fileForm(
  fields: Record<string, string>,
  file: { name: string; path: string },
): Promise<{ contentType: string; bytes: number; body: Readable }> {
  const boundary = `atoll-${randomUUID()}`
  const values = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const title = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted(file.name)}"`
  const head = Buffer.from(`${values.join('')}${title}\r\ncontent-type: application/jsonl\r\n\r\n`)
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const { size } = await stat(file.path)
  const pieces = async function* (): AsyncGenerator<Buffer> {
    yield head
    yield* createReadStream(file.path)
    yield tail
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: head.length + size + tail.length,
    body: Readable.from(pieces(), { objectMode: false }),
  }
}

/** As browsers write it: a name cannot end its own quotes or line. */
const quoted = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

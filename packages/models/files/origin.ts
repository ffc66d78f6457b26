// The note beside a model file: where it came from, and its checksum.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { readJson, writeJson } from './durable-json.ts'

const Origin = z.object({
  url: z.string(),
  sha256: z.string(),
  bytes: z.int(),
  etag: z.string().optional(),
  commit: z.string().optional(),
})

export type Origin = z.output<typeof Origin>

export const readOrigin = (path: string): Promise<Origin | undefined> => readJson(path, Origin)

export const writeOrigin = (path: string, origin: Origin): Promise<void> => writeJson(path, origin)

const hashChunkBytes = 1024 * 1024

export async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const stream = createReadStream(path, { highWaterMark: hashChunkBytes, signal })
  for await (const chunk of stream) hash.update(chunk)
  return hash.digest('hex')
}

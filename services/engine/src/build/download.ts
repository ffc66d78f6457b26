// ADD of an address: a file from the web, with limits.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { BuildFailure } from './failure.ts'

const maxDownloadBytes = 8 * 1024 ** 3
const maxSeconds = 3_600

/** Returns the name it has. */
export async function download(
  address: string,
  folder: string,
  { checksum, signal }: { checksum: string; signal: AbortSignal },
): Promise<string> {
  const url = new URL(address)
  const response = await fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(maxSeconds * 1_000)]),
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new BuildFailure(`ADD ${address}: it cannot be fetched: ${error instanceof Error ? error.message : error}`)
  })
  if (!response.ok || response.body === null) throw new BuildFailure(`ADD ${address}: it answered ${response.status}`)
  const name = nameOf(url)
  const path = join(folder, name)
  const hash = createHash('sha256')
  let bytes = 0
  const body = Readable.fromWeb(response.body as ReadableStream)
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > maxDownloadBytes) throw new BuildFailure(`ADD ${address}: more than ${maxDownloadBytes} bytes`)
        hash.update(chunk)
        yield chunk
      }
    },
    createWriteStream(path, { mode: 0o600 }),
    { signal },
  )
  const digest = `sha256:${hash.digest('hex')}`
  if (checksum !== '' && checksum !== digest) {
    throw new BuildFailure(`ADD ${address}: digest mismatch ${digest}: ${checksum}`)
  }
  const changed = Date.parse(response.headers.get('last-modified') ?? '')
  if (!Number.isNaN(changed)) await utimes(path, changed / 1_000, changed / 1_000)
  return name
}

function nameOf({ pathname, href }: URL): string {
  const name = decodeURIComponent(posix.basename(pathname))
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
    throw new BuildFailure(`ADD ${href}: it does not say what the file is to be called`)
  }
  return name
}

// The blobs of a backup with their digests, as chunks like those of rows.
import { isBlobKey } from '../blobs/blob-key.ts'
import type { BackedUpBlob, Manifest } from './manifest.ts'
import { BackupProblem } from './problem.ts'
import { inChunks } from './row-lines.ts'
import type { Vault } from './vault.ts'

export async function writeBlobList(
  vault: Vault,
  blobs: readonly BackedUpBlob[],
  known: ReadonlySet<string>,
): Promise<Manifest['blobs']> {
  const sorted = [...blobs].sort((a, b) => (a.key < b.key ? -1 : 1))
  const chunks: Manifest['blobs']['chunks'] = []
  for await (const { text, rows } of inChunks(
    sorted.map((blob) => JSON.stringify([blob.key, blob.bytes, blob.sha256])),
  )) {
    chunks.push({ digest: await vault.writeChunk(text, known), rows })
  }
  return { count: blobs.length, bytes: blobs.reduce((sum, { bytes }) => sum + bytes, 0), chunks }
}

export async function* readBlobList(vault: Vault, { chunks }: Manifest['blobs']): AsyncGenerator<BackedUpBlob> {
  for (const { digest } of chunks) {
    for (const line of (await vault.readChunk(digest)).toString().trimEnd().split('\n')) yield blobOf(line)
  }
}

function blobOf(line: string): BackedUpBlob {
  const [key, bytes, sha256] = JSON.parse(line) as unknown[]
  if (typeof key === 'string' && isBlobKey(key) && typeof bytes === 'number' && typeof sha256 === 'string') {
    return { key, bytes, sha256 }
  }
  throw new BackupProblem('The list of blobs is damaged.')
}

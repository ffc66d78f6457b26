// Reads a backup from end to end and says what is damaged.
import { finished } from 'node:stream/promises'
import { readBlobList } from './blob-list.ts'
import { inLanes } from './lanes.ts'
import type { Manifest } from './manifest.ts'
import { Checked } from './measured.ts'
import { decodeRows } from './row-lines.ts'
import type { Vault } from './vault.ts'

const readsAtOnce = 4

interface Verified {
  /** A sentence for each thing that is missing or damaged. */
  damage: string[]
  rows: number
  blobs: number
  bytes: number
}

export async function verifyBackup(vault: Vault, manifest: Manifest): Promise<Verified> {
  const result: Verified = { damage: [], rows: 0, blobs: 0, bytes: 0 }
  const note = (error: unknown) => void result.damage.push(error instanceof Error ? error.message : String(error))
  for (const { chunks, name } of manifest.tables) {
    await inLanes(chunks, readsAtOnce, async ({ digest, rows }) => {
      try {
        const found = decodeRows(await vault.readChunk(digest)).length
        if (found !== rows) throw new Error(`A chunk of ${name} has ${found} rows, not ${rows}.`)
        result.rows += rows
      } catch (error) {
        note(error)
      }
    })
  }
  try {
    await inLanes(readBlobList(vault, manifest.blobs), readsAtOnce, async (blob) => {
      try {
        const checked = new Checked({ ...blob, name: `The blob ${blob.key}` })
        const source = await vault.readBlob(blob.key)
        source.on('error', (error) => checked.destroy(error))
        source.pipe(checked).resume()
        await finished(checked)
        result.blobs++
        result.bytes += blob.bytes
      } catch (error) {
        note(error)
      }
    })
    if (result.damage.length === 0 && result.blobs !== manifest.blobs.count)
      note(new Error('The list of blobs is short.'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    note(new Error(`The list of blobs cannot be read to its end, so that not every blob was checked: ${reason}`))
  }
  return result
}

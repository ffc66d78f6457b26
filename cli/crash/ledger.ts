// What the clients of the crash test know: what they sent, what was acknowledged, and what was under way at the kill.
import { createHash, randomBytes } from 'node:crypto'
import type { KeyNote } from './server-with-keys.ts'

export interface Content {
  bytes: number
  sha256: string
}

export interface Piece {
  start: number
  end: number
  /** Once acknowledged. */
  partId?: string
}

export interface Upload {
  id: string
  filename: string
  content: Buffer<ArrayBuffer>
  pieces: Piece[]
  /** Completing or cancelling was asked for and not answered. */
  ending: boolean
}

export interface KnownKey {
  kind: 'project' | 'admin'
  secret: string
}

export const contentOf = (bytes: Uint8Array): Content => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

export class Ledger {
  /** All that was ever sent, by the file's name, which is used once. */
  readonly sent = new Map<string, Content>()
  /** Acknowledged files: id to name. */
  readonly files = new Map<string, string>()
  /** Files whose deletion was not answered. */
  readonly leaving = new Set<string>()
  readonly deleted = new Set<string>()
  /** Acknowledged and not known to have ended. */
  readonly uploads = new Map<string, Upload>()
  readonly endedUploads = new Map<string, 'completed' | 'cancelled'>()
  readonly keys = new Map<string, KnownKey>()
  readonly leavingKeys = new Map<string, KnownKey>()
  readonly deletedKeys = new Map<string, KnownKey>()
  /** Answers that no healthy server gives. */
  readonly wrongAnswers: string[] = []
  readonly acknowledged = { files: 0, parts: 0, keys: 0, deletions: 0 }

  newFile(bytes: number): { filename: string; content: Buffer<ArrayBuffer> } {
    const content = randomBytes(bytes)
    const filename = `${randomBytes(12).toString('hex')}.bin`
    this.sent.set(filename, contentOf(content))
    return { filename, content }
  }

  stored(id: string, filename: string): void {
    this.files.set(id, filename)
    this.acknowledged.files++
  }

  gone(id: string): void {
    this.leaving.delete(id)
    this.deleted.add(id)
    this.acknowledged.deletions++
  }

  ended(upload: Upload, how: 'completed' | 'cancelled'): void {
    this.uploads.delete(upload.id)
    this.endedUploads.set(upload.id, how)
  }

  hearKey(line: string): void {
    const note: KeyNote = JSON.parse(line)
    if ('made' in note) {
      this.keys.set(note.made, { kind: note.kind, secret: note.secret })
      this.acknowledged.keys++
    } else if ('ending' in note) move(note.ending, this.keys, this.leavingKeys)
    else {
      move(note.ended, this.leavingKeys, this.deletedKeys)
      this.acknowledged.deletions++
    }
  }
}

function move(id: string, from: Map<string, KnownKey>, to: Map<string, KnownKey>): void {
  const key = from.get(id)
  if (!key) throw new Error(`The server spoke of the key ${id} out of turn.`)
  from.delete(id)
  to.set(id, key)
}

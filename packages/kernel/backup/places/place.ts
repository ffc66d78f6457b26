// Where backups lie: files under names, each there whole or not at all.
import type { Readable } from 'node:stream'

export interface Place {
  /** For people. */
  readonly description: string
  /** Replaces what is there under the name. Durable when it resolves. `bytes` are exactly those of the source. */
  write(name: string, bytes: number, source: Readable): Promise<void>
  /** Undefined where there is none. */
  read(name: string): Promise<Readable | undefined>
  /** Names of the files directly in a folder, sorted. */
  list(folder: string): Promise<string[]>
  close(): Promise<void>
}

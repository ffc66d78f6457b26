// Where a running Atoll hears its own machine: a socket in the data folder, so that whoever may read the folder may ask.
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

const name = 'control.sock'

/** Linux takes no longer path of a socket. */
const maxPathBytes = 107

export interface SocketPath {
  path: string
  /** When the socket is listened to no more, or connected. */
  release(): void
}

/** A folder with a long name is reached through its number. */
export function socketPathIn(folder: string): SocketPath {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, release: () => undefined }
  const number = openSync(folder, 'r')
  return { path: `/proc/self/fd/${number}/${name}`, release: () => closeSync(number) }
}

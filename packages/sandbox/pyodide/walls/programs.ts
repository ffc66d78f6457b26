import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** Where the system keeps its own programs; not whatever the server's PATH says. */
export const findProgram = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path))

import { closeSync, fchmodSync, openSync } from 'node:fs'

const ownerOnly = 0o600

/**
 * Makes the file, or closes one that others could read, before SQLite opens it: SQLite would make it as the umask has
 * it. The log and the shared memory beside it get the same mode from SQLite.
 */
export function makeOwnFile(path: string): string {
  const file = openSync(path, 'a', ownerOnly)
  try {
    fchmodSync(file, ownerOnly)
  } finally {
    closeSync(file)
  }
  return path
}

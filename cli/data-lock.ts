// One owner for a data folder. The lock is the system's own on a file, taken through SQLite because Node has no call for
// it: it goes with the process, however that ends, so there are no stale locks.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const sqliteBusy = 5

export class DataFolderInUse extends Error {
  constructor(folder: string, holder: string) {
    super(`another Atoll${holder} is using the data folder ${folder}. Stop it, or choose another folder with --data.`)
    this.name = 'DataFolderInUse'
  }
}

export function lockDataFolder(folder: string): { release(): void } {
  const holderFile = join(folder, 'atoll.pid')
  const file = new DatabaseSync(join(folder, 'atoll.lock'), { timeout: 0 })
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) throw new DataFolderInUse(folder, holderIn(holderFile))
    throw error
  }
  writeFileSync(holderFile, `${process.pid}\n`)
  return { release: () => file.close() }
}

function holderIn(path: string): string {
  try {
    return ` (process ${readFileSync(path, 'utf8').trim()})`
  } catch {
    return ''
  }
}

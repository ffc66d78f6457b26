import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** System programs are often in folders that only root has in its PATH. */
const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** The path of a program, or undefined when the machine lacks it. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...systemFolders, ...postgresFolders()]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** Debian keeps a folder of PostgreSQL programs for each version, outside of PATH. */
function postgresFolders(): string[] {
  const home = '/usr/lib/postgresql'
  try {
    const versions = readdirSync(home).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(home, version, 'bin'))
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

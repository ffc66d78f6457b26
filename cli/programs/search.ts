import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as kernel from '@atoll/kernel/programs/find-program'

/** System programs are often in folders that only root has in its PATH. */
const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** The path of a program, or undefined when the machine lacks it. */
export const findProgram = (name: string): string | undefined =>
  kernel.findProgram(name, [...systemFolders, ...postgresFolders()])

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

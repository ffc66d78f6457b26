// Tests that need a program are skipped where it is missing, and say so.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Those of the programs that are not there, for the name of what is skipped; empty when all are. */
export const lacking = (...programs: string[]): string => programs.filter((name) => !isThere(name)).join(', ')

function isThere(name: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

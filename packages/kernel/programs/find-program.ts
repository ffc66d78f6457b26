import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The path of a program by its name in PATH or in `more` folders, or undefined when the machine lacks it. */
export function findProgram(name: string, more: readonly string[] = []): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(isAbsolute), ...more]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

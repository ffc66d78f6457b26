// A folder with a project in it, to build from.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @param files what is in it, by path. */
export function projectFolder(parent: string, name: string, files: Record<string, string>): string {
  const folder = join(parent, name)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

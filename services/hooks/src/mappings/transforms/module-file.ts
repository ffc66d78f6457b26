// Finds and reads the file of a transform. Whatever way leads out of the folder is refused, so that no setting can make
// the gateway read another file.
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { transformLimits } from './limits.ts'

export class ModuleFileProblem extends Error {
  override name = 'ModuleFileProblem'
}

export interface ModuleFile {
  source: string
  isTypeScript: boolean
}

const names = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/
const endings = /\.(?:js|mjs|ts|mts)$/

export async function readModuleFile(folder: string, name: string): Promise<ModuleFile> {
  if (!names.test(name)) {
    throw new ModuleFileProblem(`${quoted(name)} is no name of a file in hooks.transformsDir, such as "github.js"`)
  }
  if (!endings.test(name)) throw new ModuleFileProblem(`${quoted(name)} must end in .js, .mjs, .ts or .mts`)
  const path = await insidePath(folder, name)
  return { source: await readText(path, name), isTypeScript: /ts$/.test(name) }
}

async function insidePath(folder: string, name: string): Promise<string> {
  const base = await realpath(folder).catch(() => {
    throw new ModuleFileProblem(`hooks.transformsDir ${folder} is not there; make the folder and put ${name} into it`)
  })
  const path = await realpath(join(base, name)).catch(() => {
    throw new ModuleFileProblem(`there is no ${quoted(name)} in ${folder}`)
  })
  if (path.startsWith(`${base}${sep}`)) return path
  throw new ModuleFileProblem(`${quoted(name)} is a link that leads out of ${folder}`)
}

async function readText(path: string, name: string): Promise<string> {
  // Its links are resolved: one that has come since is none to follow, and a pipe none to wait for.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
    throw new ModuleFileProblem(`${quoted(name)} cannot be read`)
  })
  try {
    const { size } = await regularFile(file, name)
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await file.read(bytes, 0, size, 0)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytesRead))
  } catch (error) {
    if (error instanceof ModuleFileProblem) throw error
    throw new ModuleFileProblem(`${quoted(name)} cannot be read as UTF-8 text`)
  } finally {
    await file.close()
  }
}

async function regularFile(file: Awaited<ReturnType<typeof open>>, name: string): Promise<{ size: number }> {
  const found = await file.stat()
  if (!found.isFile()) throw new ModuleFileProblem(`${quoted(name)} is no file`)
  if (found.size > transformLimits.sourceBytes) {
    throw new ModuleFileProblem(`${quoted(name)} has ${found.size} bytes; at most ${transformLimits.sourceBytes}`)
  }
  return found
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 200))

// The names of a log's files: `log.json` is written to; `log.json.1`, `log.json.2`, … are older, and may be compressed
// as `log.json.1.gz`. A rotation renames one after the other, the oldest first, so for a moment a name is missing; a
// shim that is killed meanwhile leaves it so.
import { type FileHandle, readdir, readlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

export const nameOf = (path: string, age: number): string => (age === 0 ? path : `${path}.${age}`)

export const packedNameOf = (path: string, age: number): string => `${nameOf(path, age)}.gz`

/** The age of an open file by the name it has now; undefined when it has none any more. */
export async function ageOf(path: string, { fd }: FileHandle): Promise<number | undefined> {
  return ageIn(basename(await readlink(`/proc/self/fd/${fd}`)), basename(path))
}

/** All ages there are, the newest first. The system gives all names at one moment, also while they change. */
export async function listAges(path: string): Promise<number[]> {
  const names = (await readdir(dirname(path)).catch(absent)) ?? []
  const ages = names.map((name) => ageIn(name, basename(path))).filter((age) => age !== undefined)
  return [...new Set(ages)].sort((one, other) => one - other)
}

/** -1: there is none. */
export const oldestAge = async (path: string): Promise<number> => (await listAges(path)).at(-1) ?? -1

export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function ageIn(name: string, newest: string): number | undefined {
  if (name === newest) return 0
  const [, age] = (name.startsWith(newest) && /^\.([1-9]\d{0,4})(?:\.gz)?$/.exec(name.slice(newest.length))) || []
  return age === undefined ? undefined : Number(age)
}

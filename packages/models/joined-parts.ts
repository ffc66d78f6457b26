// A file that comes in parts, since hosts of repositories refuse large ones: joined once, and checked before it counts.
import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

interface InParts {
  file: string
  bytes: number
  sha256: string
  /** Names of files beside, in order. */
  parts: readonly string[]
}

/** Where an installation cannot be written to, as one of another user. */
const cacheFolder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'atoll')

const isReadOnly = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The path of the whole file: beside its parts, else in the user's cache. Throws when a part is missing or damaged. */
export async function joinedParts(folder: string, known: InParts, elsewhere: string = cacheFolder): Promise<string> {
  const beside = join(folder, known.file)
  // Named by its content there: versions of Atoll may lie side by side.
  const cached = join(elsewhere, `${known.sha256.slice(0, 16)}-${known.file}`)
  for (const path of [beside, cached]) if (await isWhole(path, known.bytes)) return path
  try {
    return await joinInto(beside, folder, known)
  } catch (error) {
    if (!isReadOnly(error)) throw error
    await mkdir(elsewhere, { recursive: true })
    return joinInto(cached, folder, known)
  }
}

/** By its size alone: who loads it looks at its checksum. */
const isWhole = (path: string, bytes: number): Promise<boolean> =>
  stat(path).then(
    ({ size }) => size === bytes,
    () => false,
  )

async function joinInto(path: string, folder: string, { file, sha256, parts }: InParts): Promise<string> {
  for (const part of parts) await access(join(folder, part))
  // Two may join at once: each writes its own draft.
  const draft = `${path}.${randomUUID()}.new`
  const digest = createHash('sha256')
  const handle = await open(draft, 'w')
  try {
    for (const part of parts) {
      const content = await readFile(join(folder, part))
      digest.update(content)
      await handle.writeFile(content)
    }
    await handle.sync()
    if (digest.digest('hex') !== sha256) throw new Error(`${file}: a part is damaged, its checksum is another one`)
    await rename(draft, path)
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
  return path
}

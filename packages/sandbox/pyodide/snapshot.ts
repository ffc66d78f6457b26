// The memory of a Python that has just started, kept in a file: a process that begins from it is ready ten times
// sooner. It is made by a Python process that has run nothing but our own code.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ending = '.python-memory'
const unfinished = '.python-incoming'
/** What is in a snapshot depends on these. */
const sources = ['./child/runner.py', './child/load-python.ts', './child/import-gate.ts']

export class Snapshot {
  readonly #make: () => Promise<Uint8Array>
  readonly #cacheFolder: string | undefined
  #own: string | undefined
  #file: Promise<string> | undefined

  /** Without a folder to keep it in between starts of the server, it lives in one of its own until it is closed. */
  constructor(cacheFolder: string | undefined, make: () => Promise<Uint8Array>) {
    this.#cacheFolder = cacheFolder
    this.#make = make
  }

  /** Made by the first that asks. */
  file(): Promise<string> {
    this.#file ??= this.#find().catch((error) => {
      this.#file = undefined
      throw error
    })
    return this.#file
  }

  /** It was of no use: the next that asks makes it anew. */
  async forget(): Promise<void> {
    const file = await this.#file
    this.#file = undefined
    if (file !== undefined) await rm(file, { force: true })
  }

  async close(): Promise<void> {
    if (this.#own !== undefined) await rm(this.#own, { recursive: true, force: true })
  }

  async #find(): Promise<string> {
    const folder = await this.#folder()
    const file = join(folder, `${contentName()}${ending}`)
    if (existsSync(file)) return file
    const bytes = await this.#make()
    const incoming = join(folder, `${process.pid}-${performance.now()}${unfinished}`)
    await writeFile(incoming, bytes, { mode: 0o600 })
    await rename(incoming, file)
    // Those of other versions, and what a crash left behind.
    for (const name of await readdir(folder)) {
      const isOurs = name.endsWith(ending) || name.endsWith(unfinished)
      if (isOurs && join(folder, name) !== file) await rm(join(folder, name), { force: true })
    }
    return file
  }

  async #folder(): Promise<string> {
    if (this.#cacheFolder === undefined) {
      this.#own ??= await mkdtemp(join(tmpdir(), 'atoll-sandbox-'))
      return this.#own
    }
    await mkdir(this.#cacheFolder, { recursive: true, mode: 0o700 })
    return this.#cacheFolder
  }
}

function contentName(): string {
  const hash = createHash('sha256').update(process.version).update(process.arch)
  for (const source of sources) hash.update(readFileSync(new URL(source, import.meta.url)))
  hash.update(readFileSync(new URL(import.meta.resolve('pyodide/package.json'))))
  return hash.digest('hex').slice(0, 16)
}

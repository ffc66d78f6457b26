// Wheels from a folder of the server, installed when code imports them by name. Nothing is ever downloaded, and nothing
// of it is done by Python: its modules may be the session's own by then.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileSystem } from './emscripten.ts'
import type { ImportGate } from './import-gate.ts'
import type { Lock } from './load-python.ts'
import type { PythonCalls } from './python-calls.ts'
import { describeWheel, installedPath, wheelEntries } from './wheel.ts'

const sitePackages = '/lib/python3.14/site-packages'
const library = /\.so(\.\d+)*$/

interface Wheel {
  path: string
  needs: string[]
}

export interface PackagesOptions {
  calls: PythonCalls
  gate: ImportGate
  files: FileSystem
  lock: Lock
  folder: string | undefined
}

export class Packages {
  readonly #options: PackagesOptions
  readonly #importsOf: (code: string) => string
  readonly #filesAdded: (none: string) => string
  readonly #tried = new Set<string>()
  /** By the name one imports, and by the name of the package. */
  #wheels: Map<string, Wheel> | undefined

  constructor(options: PackagesOptions) {
    this.#options = options
    this.#importsOf = options.calls.find('imports_of')
    this.#filesAdded = options.calls.find('files_added')
  }

  /** What Pyodide has wheels for: the name one imports, and the wheel's file. */
  known(): Record<string, string> {
    const packages = Object.values(this.#options.lock.packages)
    return Object.fromEntries(packages.flatMap(({ imports, file_name }) => imports.map((name) => [name, file_name])))
  }

  /** What could not be installed, in words. */
  installFor(code: string): string[] {
    const { folder } = this.#options
    if (folder === undefined) return []
    const names = parseNames(this.#importsOf(code)).filter((name) => !this.#tried.has(name))
    if (names.length === 0) return []
    this.#wheels ??= this.#index(folder)
    const wanted = new Set<string>()
    for (const name of names) this.#collect(name, wanted)
    if (wanted.size === 0) return []
    const problems = [...wanted].flatMap((path) => this.#install(path))
    this.#filesAdded('')
    return problems
  }

  #collect(name: string, wanted: Set<string>): void {
    if (this.#tried.has(name)) return
    this.#tried.add(name)
    const wheel = this.#wheels?.get(name)
    if (wheel === undefined) return
    for (const need of wheel.needs) this.#collect(need, wanted)
    wanted.add(wheel.path)
  }

  #install(path: string): string[] {
    const { files, gate, calls } = this.#options
    const libraries: string[] = []
    try {
      for (const { name, bytes } of wheelEntries(readFileSync(path))) {
        const below = installedPath(name)
        if (below === undefined) continue
        const file = join(sitePackages, below)
        files.mkdirTree(dirname(file))
        files.writeFile(file, bytes())
        if (library.test(file)) libraries.push(file)
      }
    } catch (error) {
      return [`${path}: ${(error as Error).message}`]
    }
    return libraries.flatMap((file) => gate.compiling(() => calls.loadLibrary(file)) ?? [])
  }

  /** Wheels of Pyodide's own list are known by their file names; others are looked into. */
  #index(folder: string): Map<string, Wheel> {
    const wheels = new Map<string, Wheel>()
    const present = new Set(readdirSync(folder).filter((file) => file.endsWith('.whl')))
    for (const { name, file_name, imports, depends } of Object.values(this.#options.lock.packages)) {
      if (!present.delete(file_name)) continue
      const wheel = { path: join(folder, file_name), needs: depends.map(plainName) }
      for (const key of [name, ...imports]) wheels.set(plainName(key), wheel)
    }
    for (const file of present) {
      const path = join(folder, file)
      const { imports, needs } = lookInto(path)
      const wheel = { path, needs: needs.map(plainName) }
      for (const key of [file.split('-')[0] ?? '', ...imports]) wheels.set(plainName(key), wheel)
    }
    return wheels
  }
}

function lookInto(path: string): { imports: string[]; needs: string[] } {
  try {
    return describeWheel(wheelEntries(readFileSync(path)))
  } catch {
    return { imports: [], needs: [] }
  }
}

/** From Python, so whatever it likes. */
function parseNames(text: string): string[] {
  try {
    const names: unknown = JSON.parse(text)
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string').map(plainName) : []
  } catch {
    return []
  }
}

/** `Foo-Bar (>=1.2)` and `foo_bar` are one. */
const plainName = (text: string): string => (/^[\w.-]+/.exec(text)?.[0] ?? '').toLowerCase().replaceAll(/[-.]/g, '_')

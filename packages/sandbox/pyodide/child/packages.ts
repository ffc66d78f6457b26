// Wheels from a folder of the server, installed when code imports them by name. Nothing is ever downloaded.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PyodideAPI } from 'pyodide'
import type { FileSystem } from './emscripten.ts'
import type { Lock } from './load-python.ts'
import type { Runner } from './runner.ts'

const scratch = '/tmp/.wheel'

interface Wheel {
  /** For Pyodide's loader: a name that it knows, or a file. */
  load: string
  needs: string[]
}

export interface PackagesOptions {
  python: PyodideAPI
  runner: Runner
  files: FileSystem
  lock: Lock
  folder: string | undefined
}

export class Packages {
  readonly #options: PackagesOptions
  readonly #loadPackage: PyodideAPI['loadPackage']
  readonly #tried = new Set<string>()
  /** By the name one imports, and by the name of the package. */
  #wheels: Map<string, Wheel> | undefined

  constructor(options: PackagesOptions) {
    this.#options = options
    this.#loadPackage = options.python.loadPackage
  }

  /** What Pyodide has wheels for: the name one imports, and the wheel's file. */
  known(): Record<string, string> {
    const packages = Object.values(this.#options.lock.packages)
    return Object.fromEntries(packages.flatMap(({ imports, file_name }) => imports.map((name) => [name, file_name])))
  }

  /** What could not be installed, in words. */
  async installFor(code: string): Promise<string[]> {
    const { folder, runner } = this.#options
    if (folder === undefined) return []
    const names = (JSON.parse(runner.imports_of(code)) as string[]).filter((name) => !this.#tried.has(name))
    if (names.length === 0) return []
    this.#wheels ??= this.#index(folder)
    const wanted = new Set<string>()
    for (const name of names) this.#collect(name, wanted)
    if (wanted.size === 0) return []
    const problems: string[] = []
    runner.show_bridge()
    try {
      const errorCallback = (text: string): void => void problems.push(text)
      await this.#loadPackage([...wanted], { messageCallback: () => undefined, errorCallback, checkIntegrity: true })
    } catch (error) {
      problems.push((error as Error).message)
    } finally {
      runner.hide_bridge()
    }
    return problems
  }

  #collect(name: string, wanted: Set<string>): void {
    if (this.#tried.has(name)) return
    this.#tried.add(name)
    const wheel = this.#wheels?.get(name)
    if (wheel === undefined) return
    wanted.add(wheel.load)
    for (const need of wheel.needs) this.#collect(need, wanted)
  }

  /** Wheels of Pyodide's own list are known by their file names; others are looked into. */
  #index(folder: string): Map<string, Wheel> {
    const wheels = new Map<string, Wheel>()
    const present = new Set(readdirSync(folder).filter((file) => file.endsWith('.whl')))
    for (const { name, file_name, imports, depends } of Object.values(this.#options.lock.packages)) {
      if (!present.delete(file_name)) continue
      for (const key of [name, ...imports]) wheels.set(plainName(key), { load: name, needs: depends.map(plainName) })
    }
    for (const file of present) {
      const path = join(folder, file)
      const { imports, needs } = this.#lookInto(path)
      const wheel = { load: path, needs: needs.map(plainName) }
      for (const key of [file.split('-')[0] ?? '', ...imports]) wheels.set(plainName(key), wheel)
    }
    return wheels
  }

  #lookInto(path: string): { imports: string[]; needs: string[] } {
    const { files, runner } = this.#options
    try {
      files.writeFile(scratch, readFileSync(path))
      return JSON.parse(runner.wheel_names(scratch))
    } catch {
      return { imports: [], needs: [] }
    } finally {
      files.unlink(scratch)
    }
  }
}

/** `Foo-Bar (>=1.2)` and `foo_bar` are one. */
const plainName = (text: string): string => (/^[\w.-]+/.exec(text)?.[0] ?? '').toLowerCase().replaceAll(/[-.]/g, '_')

// A module's package: a zip file with module.json and the shared object.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import * as errors from '../../../errors.ts'
import { type Architecture, architectureOf, elfHeadBytes, readElfArchitecture } from './elf.ts'
import { type ModuleJson, readModuleJson } from './module-json.ts'
import { type ByteSource, readZipDirectory, type ZipDirectory, type ZipEntry } from './zip-directory.ts'
import { unpack } from './zip-entry.ts'

const maxJsonBytes = 1024 * 1024
const maxSharedObjectBytes = 512 * 1024 * 1024

export class ModulePackage {
  readonly json: ModuleJson
  readonly #source: ByteSource
  readonly #directory: ZipDirectory
  readonly #entry: ZipEntry

  private constructor(source: ByteSource, directory: ZipDirectory, json: ModuleJson) {
    this.#source = source
    this.#directory = directory
    this.json = json
    this.#entry = findSharedObject(directory.entries, json)
  }

  static async open(source: ByteSource): Promise<ModulePackage> {
    const directory = await readZipDirectory(source)
    const entry = directory.entries.find(({ name }) => posix.basename(name) === 'module.json')
    if (entry === undefined) throw errors.invalidModule('The package has no module.json.')
    if (entry.bytes > maxJsonBytes) throw errors.invalidModule(`module.json may have ${maxJsonBytes} bytes at most.`)
    const pieces: Buffer[] = []
    for await (const piece of unpack(source, directory, entry)) pieces.push(piece)
    return new ModulePackage(source, directory, readModuleJson(Buffer.concat(pieces).toString()))
  }

  /** Name of the shared object in the package. */
  get fileName(): string {
    return posix.basename(this.#entry.name)
  }

  /** Its bytes. Fails at their end, if not before, when they are not what module.json tells. */
  async *sharedObject(machine: Architecture): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    let head = Buffer.alloc(0)
    for await (const piece of unpack(this.#source, this.#directory, this.#entry)) {
      hash.update(piece)
      if (head.length < elfHeadBytes) {
        head = Buffer.concat([head, piece.subarray(0, elfHeadBytes)])
        if (head.length >= elfHeadBytes) this.#checkMachine(head, machine)
      }
      yield piece
    }
    if (head.length < elfHeadBytes) this.#checkMachine(head, machine)
    const found = hash.digest('hex')
    if (found === this.json.sha256.toLowerCase()) return
    throw errors.invalidModule(`${this.fileName} has the SHA-256 ${found}, and module.json says ${this.json.sha256}.`)
  }

  #checkMachine(head: Buffer, machine: Architecture): void {
    const built = readElfArchitecture(head, this.fileName)
    const told = architectureOf(this.json.architecture)
    if (built !== told)
      throw errors.invalidModule(`${this.fileName} is built for ${built}, and module.json says ${told}.`)
    if (built !== machine) {
      throw errors.invalidModule(`${this.fileName} is built for ${built}, and this machine is ${machine}.`)
    }
  }
}

/** The one that module.json names, or the only one there is. */
function findSharedObject(entries: readonly ZipEntry[], { module_file: asked }: ModuleJson): ZipEntry {
  const all = entries.filter(({ name }) => name.endsWith('.so'))
  const wanted = asked ? all.filter(({ name }) => posix.basename(name) === posix.basename(asked)) : all
  const [entry, ...others] = wanted
  if (entry === undefined || others.length > 0) {
    throw errors.invalidModule(
      asked
        ? `module.json names the file ${asked}, which the package does not have once.`
        : `The package must have one file that ends in .so; it has ${all.length}. Name it as module_file in module.json.`,
    )
  }
  if (entry.bytes > maxSharedObjectBytes) {
    throw errors.invalidModule(`${entry.name} may have ${maxSharedObjectBytes} bytes at most.`)
  }
  return entry
}

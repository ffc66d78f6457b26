// Modules in the cluster: taken in from packages, and kept until nothing uses them.
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { BlobStore, StoredBlob } from '@atoll/kernel/blobs/blobs'
import { isUniqueViolation } from '@atoll/kernel/db/unique-violation'
import type { Kernel } from '@atoll/kernel/kernel'
import * as errors from '../../errors.ts'
import type { Action, Actions } from '../actions/service.ts'
import type { EventLog } from '../logs/service.ts'
import { thisArchitecture } from '../nodes/service.ts'
import { ModuleFiles, sha256Of } from './module-files.ts'
import { ModuleHolds } from './module-holds.ts'
import { type ModuleRecord, moduleRecord } from './module-record.ts'
import { checkFits } from './package/module-json.ts'
import { ModulePackage } from './package/module-package.ts'
import type { ByteSource } from './package/zip-directory.ts'
import * as store from './store.ts'

export type { ModuleRecord } from './module-record.ts'

interface Parts {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'blobs' | 'folder' | 'log'>
  actions: Actions
  events: EventLog
  release: string
}

export class Modules {
  readonly #parts: Parts
  readonly #files: ModuleFiles
  readonly #holds = new ModuleHolds()
  #usersOf: (moduleUid: string) => Promise<string[]> = async () => []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#files = new ModuleFiles(join(parts.kernel.folder, 'cluster', 'modules'))
  }

  /** Before the first request: clears away what a crash left. */
  async load(): Promise<void> {
    const known = new Set((await store.allModules(this.#parts.kernel.db.queries)).map(({ uid }) => uid))
    await this.#files.sweep((uid) => known.has(uid))
  }

  /** How to find the names of the databases that have a module. */
  usedBy(check: (moduleUid: string) => Promise<string[]>): void {
    this.#usersOf = check
  }

  /** It cannot be deleted until this is disposed of: for work that will use it, before any record says so. */
  hold(uid: string): Disposable {
    return this.#holds.hold(uid)
  }

  async get(uid: string): Promise<ModuleRecord | undefined> {
    const row = await store.findModule(this.#parts.kernel.db.queries, uid)
    return row && this.#record(row)
  }

  async find(name: string, semanticVersion: string): Promise<ModuleRecord | undefined> {
    const row = await store.findModuleVersion(this.#parts.kernel.db.queries, name, semanticVersion)
    return row && this.#record(row)
  }

  async list(): Promise<ModuleRecord[]> {
    return (await store.allModules(this.#parts.kernel.db.queries)).map((row) => this.#record(row))
  }

  /** Whether the shared object is still the one that was taken in. */
  async isWhole({ file, sha256 }: ModuleRecord): Promise<boolean> {
    return (await sha256Of(file).catch(() => undefined)) === sha256
  }

  /** What is kept of a package is its shared object; the package itself goes. */
  async upload(blob: StoredBlob, by: string): Promise<{ module: ModuleRecord; action: Action }> {
    const added = await this.#add(blob, by)
    await this.#parts.kernel.blobs.remove(blob.key)
    return added
  }

  /** File first, then row: a row always has its file. */
  async #add(blob: StoredBlob, by: string): Promise<{ module: ModuleRecord; action: Action }> {
    const { kernel, release } = this.#parts
    const bundle = await ModulePackage.open(sourceOf(kernel.blobs, blob))
    const { json } = bundle
    checkFits(json, release)
    await this.#refuseKnown(json.module_name, json.semantic_version)
    const machine = thisArchitecture()
    if (machine === undefined) throw errors.invalidModule('Modules for this kind of machine are not known.')
    const uid = kernel.ids.hex()
    await this.#files.write(uid, json.module_name, bundle.sharedObject(machine))
    const row: store.ModuleRow = {
      ...{ uid, module_name: json.module_name, semantic_version: json.semantic_version },
      ...{ module_file: bundle.fileName, manifest: JSON.stringify(json), created_at: kernel.clock.now() },
    }
    try {
      const action = await this.#insert(row, by)
      return { module: this.#record(row), action }
    } catch (error) {
      await this.#files.remove(uid)
      if (isUniqueViolation(error)) throw errors.moduleExists(json.module_name, json.semantic_version)
      throw error
    }
  }

  async remove(uid: string, by: string): Promise<Action> {
    const found = await store.findModule(this.#parts.kernel.db.queries, uid)
    if (found === undefined) throw errors.noSuchModule(uid)
    using _ = this.#holds.take(uid)
    const users = await this.#usersOf(uid)
    if (users.length > 0) throw errors.moduleInUse(uid, users)
    return await this.#delete(found, by)
  }

  /** Row first, then file. */
  async #delete(row: store.ModuleRow, by: string): Promise<Action> {
    const action = await this.#parts.kernel.db.transaction(async (tx) => {
      if ((await store.findModule(tx, row.uid)) === undefined) throw errors.noSuchModule(row.uid)
      await store.deleteModule(tx, row.uid)
      return this.#tell(tx, row, 'delete_module', by)
    })
    await this.#files.remove(row.uid)
    return action
  }

  #insert(row: store.ModuleRow, by: string): Promise<Action> {
    return this.#parts.kernel.db.transaction(async (tx) => {
      await store.insertModule(tx, row)
      return this.#tell(tx, row, 'install_module', by)
    })
  }

  /** Both are done when they are told: the action is over at once. */
  async #tell(tx: Parameters<Actions['begin']>[0], row: store.ModuleRow, name: string, by: string): Promise<Action> {
    const { actions, events } = this.#parts
    const object = `module:${row.uid}`
    const what = `${row.module_name} ${row.semantic_version}`
    const isNew = name === 'install_module'
    const message = `${what} ${isNew ? 'is in the cluster now' : 'was deleted'}`
    const type = isNew ? 'module_uploaded' : 'module_deleted'
    await events.add(tx, { severity: 'INFO', type, originator: by, object, message })
    const action = await actions.begin(tx, { name, objectName: object, description: message })
    await actions.change(action.uid, { status: 'completed', progress: 100 }, tx)
    return { ...action, status: 'completed', progress: 100 }
  }

  async #refuseKnown(name: string, version: string): Promise<void> {
    const { db } = this.#parts.kernel
    if (await store.findModuleVersion(db.queries, name, version)) throw errors.moduleExists(name, version)
  }

  #record(row: store.ModuleRow): ModuleRecord {
    return moduleRecord(row, this.#files.path(row.uid, row.module_name))
  }
}

const sourceOf = (blobs: BlobStore, { key, bytes }: StoredBlob): ByteSource => ({
  size: bytes,
  read: async (start, end) => (end > start ? buffer(await blobs.read(key, { start, end: end - 1 })) : Buffer.alloc(0)),
})

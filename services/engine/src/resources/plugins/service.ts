// Plugins: installed from a registry or from an archive, enabled, set, upgraded and removed. Changes of one plugin come
// one after the other, so that one that hangs holds up nobody else.
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { conflict, invalidParameter, notFound } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { ProgressMessage, RegistryAuth } from '../../images/image-registry.ts'
import { canonicalName, familiarName, isReference, parseReference } from '../../images/reference.ts'
import { interfaceTypes } from '../../plugins/plugin-config.ts'
import { PluginProcess, type ProcessParts } from '../../plugins/plugin-process.ts'
import type { PluginParts, PluginRecord } from '../../plugins/plugin-record.ts'
import type { PluginRegistry } from '../../plugins/plugin-registry.ts'
import { initialSettings, withSettings } from '../../plugins/plugin-settings.ts'
import { privilegesOf, requireGranted } from '../../plugins/privileges.ts'
import { usableTypes } from '../../plugins/usable-types.ts'
import type { Filters } from '../query/schema.ts'
import { Turns } from '../volumes/turns.ts'
import { pluginFilter } from './plugin-filters.ts'
import type { PluginObject, PluginPrivilege } from './schema.ts'
import { allPlugins, deletePlugin, insertPlugin, replacePlugin } from './store.ts'

interface PluginsParts extends ProcessParts {
  db: Database
  ids: Pick<Ids, 'hex'>
  events: EngineEvents
  registry: PluginRegistry
}

export interface Asked {
  auth: RegistryAuth | undefined
  signal: AbortSignal
}

export interface InstalledPlugin {
  record: PluginRecord
  process: PluginProcess
}

const defaultTimeoutMs = 30_000
const maxTimeoutSeconds = 3_600
const maxPlugins = 1_000

export class Plugins {
  readonly #parts: PluginsParts
  readonly #byId = new Map<string, InstalledPlugin>()
  readonly #turns = new Turns()
  #usersOf: (plugin: PluginRecord) => readonly string[] = () => []

  constructor(parts: PluginsParts) {
    this.#parts = parts
  }

  /** Before the first request. Those that are enabled come up by themselves, and nobody waits for them here. */
  async load(): Promise<void> {
    const { db, content, runtime } = this.#parts
    for (const record of await allPlugins(db.queries)) this.#adopt(record)
    await content.open(() => this.all().map(({ record }) => record))
    const found = await runtime.restore([...this.#byId.keys()])
    for (const [id, { record, process }] of this.#byId) {
      const state = found.get(id) ?? { state: 'gone' }
      if (record.isEnabled) await process.resume(state)
      else if (state.state !== 'gone') await process.stop()
    }
  }

  /** What uses a plugin, in words: volumes and containers. */
  usedBy(usersOf: (plugin: PluginRecord) => readonly string[]): void {
    this.#usersOf = usersOf
  }

  all(): InstalledPlugin[] {
    return [...this.#byId.values()].sort((one, other) => (one.record.name < other.record.name ? -1 : 1))
  }

  /** Enabled ones of a kind: `volumedriver`. */
  of(capability: string): InstalledPlugin[] {
    return this.all().filter(
      ({ record }) =>
        record.isEnabled && interfaceTypes(record.config).some(({ capability: own }) => own === capability),
    )
  }

  list(filters: Filters): PluginObject[] {
    const isAsked = pluginFilter(filters)
    return this.all()
      .filter(({ record }) => isAsked(record))
      .map(({ record }) => view(record))
  }

  inspect(asked: string): PluginObject {
    return view(this.get(asked).record)
  }

  /** By name with or without a tag, by id, or by the beginning of an id. */
  get(asked: string): InstalledPlugin {
    const found = this.find(asked)
    if (found !== undefined) return found
    const byPrefix = /^[0-9a-f]{3,64}$/.test(asked)
      ? this.all().filter(({ record }) => record.id.startsWith(asked))
      : []
    if (byPrefix.length > 1) throw invalidParameter(`multiple plugins found for "${asked}"`)
    const [one] = byPrefix
    if (one === undefined) throw notFound(`plugin "${asked}" not found`)
    return one
  }

  /** By its name alone. */
  find(asked: string): InstalledPlugin | undefined {
    if (!isReference(asked)) return undefined
    const name = familiarName(canonicalName(parseReference(asked)))
    return this.all().find(({ record }) => record.name === name)
  }

  async privileges(remote: string, asked: Asked): Promise<PluginPrivilege[]> {
    return privilegesOf(await this.#parts.registry.config(remote, asked))
  }

  /** `name`: it is called so here; empty: as in the registry. */
  pull(
    { remote, name, granted }: { remote: string; name: string; granted: readonly PluginPrivilege[] },
    asked: Asked,
  ): { name: string; messages: AsyncIterable<ProgressMessage> } {
    const local = newName(name || remote)
    this.#refuseTaken(local)
    const reference = canonicalName(parseReference(remote))
    const messages = this.#parts.registry.pull(remote, asked, {
      check: (config) => requireGranted(config, granted),
      keep: (parts) => this.#install(local, reference, parts, 'pull'),
    })
    return { name: local, messages }
  }

  /** The plugin must be disabled; its settings begin anew, and what it keeps in its propagated mount stays. */
  upgrade(
    asked: string,
    { remote, granted }: { remote: string; granted: readonly PluginPrivilege[] },
    by: Asked,
  ): AsyncIterable<ProgressMessage> {
    const { record } = this.get(asked)
    if (record.isEnabled) throw conflict(`plugin ${record.name} is enabled: it must be disabled before it is upgraded`)
    const reference = canonicalName(parseReference(remote || record.reference))
    return this.#parts.registry.pull(reference, by, {
      check: (config) => requireGranted(config, granted),
      keep: (parts) => this.#replace(record.id, reference, parts),
    })
  }

  push(asked: string, by: Asked): AsyncIterable<ProgressMessage> {
    const { record } = this.get(asked)
    return this.#parts.registry.push(record, by, () => this.#tell('push', record))
  }

  /** From an archive of a `config.json` and a folder `rootfs`. */
  async create(name: string, archive: Readable, signal: AbortSignal): Promise<void> {
    const local = newName(name)
    this.#refuseTaken(local)
    const { content } = this.#parts
    const reference = canonicalName(parseReference(name))
    await content.during(async () => this.#install(local, reference, await content.fromTar(archive, signal), 'create'))
  }

  /** `timeoutSeconds`: how long it may take to come up, and later to answer; 0: as usual. */
  async enable(asked: string, timeoutSeconds: number): Promise<void> {
    if (timeoutSeconds < 0 || timeoutSeconds > maxTimeoutSeconds) {
      throw invalidParameter(`timeout must be between 0 and ${maxTimeoutSeconds} seconds`)
    }
    const timeoutMs = timeoutSeconds === 0 ? defaultTimeoutMs : timeoutSeconds * 1000
    await this.#alone(asked, async (plugin) => {
      const { record, process } = plugin
      if (record.isEnabled) throw conflict(`plugin ${record.name} is already enabled`)
      usableTypes(record)
      await process.start(timeoutMs)
      await this.#change(plugin, { isEnabled: true, timeoutMs }).catch(async (error: unknown) => {
        await process.stop()
        throw error
      })
      this.#tell('enable', record)
    })
  }

  async disable(asked: string, force: boolean): Promise<void> {
    await this.#alone(asked, async (plugin) => {
      const { record } = plugin
      if (!record.isEnabled) throw conflict(`plugin ${record.name} is already disabled`)
      if (!force) this.#refuseUsed(record)
      await this.#disable(plugin)
    })
  }

  async set(asked: string, changes: readonly string[]): Promise<void> {
    await this.#alone(asked, async (plugin) => {
      const { name, config, settings, isEnabled } = plugin.record
      if (isEnabled) throw conflict(`plugin ${name} is enabled: it must be disabled before it is set`)
      await this.#change(plugin, { settings: withSettings(config, settings, changes) })
    })
  }

  async remove(asked: string, force: boolean): Promise<PluginObject> {
    return this.#alone(asked, async (plugin) => {
      const { db, content } = this.#parts
      if (!force) {
        if (plugin.record.isEnabled) throw conflict(`plugin ${plugin.record.name} is enabled`)
        this.#refuseUsed(plugin.record)
      }
      if (plugin.record.isEnabled) await this.#disable(plugin)
      const { record } = plugin
      await deletePlugin(db.queries, record.id)
      this.#byId.delete(record.id)
      await rm(content.folderOf(record.id), { recursive: true, force: true })
      await content.sweep()
      this.#tell('remove', record)
      return view(record)
    })
  }

  close(): void {
    for (const { process } of this.#byId.values()) process.release()
  }

  async #disable(plugin: InstalledPlugin): Promise<void> {
    await this.#change(plugin, { isEnabled: false })
    await plugin.process.stop()
    this.#tell('disable', plugin.record)
  }

  #refuseTaken(name: string): void {
    if (this.find(name) !== undefined) throw conflict(`plugin "${name}" already exists`)
    if (this.#byId.size >= maxPlugins) throw conflict(`there are ${maxPlugins} plugins already`)
  }

  #refuseUsed(record: PluginRecord): void {
    const users = this.#usersOf(record)
    if (users.length > 0) throw conflict(`plugin ${record.name} is in use: ${users.slice(0, 10).join(', ')}`)
  }

  async #install(name: string, reference: string, parts: PluginParts, action: 'pull' | 'create'): Promise<void> {
    const { db, ids } = this.#parts
    const id = ids.hex() + ids.hex()
    const settings = initialSettings(parts.config)
    const record = { ...parts, id, name, reference, settings, isEnabled: false, timeoutMs: defaultTimeoutMs }
    await this.#turns.take(name, async () => {
      this.#refuseTaken(name)
      await insertPlugin(db.queries, record)
      this.#adopt(record)
    })
    this.#tell(action, record)
  }

  async #replace(id: string, reference: string, parts: PluginParts): Promise<void> {
    const { content } = this.#parts
    await this.#alone(id, async (plugin) => {
      const { name, isEnabled } = plugin.record
      if (isEnabled) throw conflict(`plugin ${name} was enabled meanwhile`)
      await content.clearRootfs(id)
      await this.#change(plugin, { ...parts, reference, settings: initialSettings(parts.config) })
      this.#tell('upgrade', plugin.record)
    })
    await content.sweep()
  }

  #adopt(record: PluginRecord): void {
    const plugin: InstalledPlugin = { record, process: new PluginProcess(this.#parts, () => plugin.record) }
    this.#byId.set(record.id, plugin)
  }

  #alone<T>(asked: string, work: (plugin: InstalledPlugin) => Promise<T>): Promise<T> {
    const { name, id } = this.get(asked).record
    return this.#turns.take(name, () => work(this.get(id)))
  }

  /** On disk first, then for all to see. */
  async #change(plugin: InstalledPlugin, changes: Partial<PluginRecord>): Promise<void> {
    const record = { ...plugin.record, ...changes }
    await replacePlugin(this.#parts.db.queries, record)
    plugin.record = record
  }

  #tell(action: string, { id, name }: PluginRecord): void {
    this.#parts.events.emit('plugin', action, id, { name })
  }
}

/** `sshfs` → `sshfs:latest`. */
function newName(asked: string): string {
  const { registry, path, tag, digest } = parseReference(asked)
  if (tag === undefined && digest !== undefined) {
    throw invalidParameter('a plugin that is pulled by its digest needs a name')
  }
  return familiarName(canonicalName({ registry, path, ...(tag !== undefined && { tag }) }))
}

const view = ({ id, name, isEnabled, settings, reference, config }: PluginRecord): PluginObject => ({
  Id: id,
  Name: name,
  Enabled: isEnabled,
  Settings: settings,
  PluginReference: reference,
  Config: config,
})

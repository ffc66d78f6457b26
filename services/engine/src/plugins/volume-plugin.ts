// A volume driver that is a plugin: the protocol of volumes over its socket.
import { posix } from 'node:path'
import { z } from 'zod'
import { systemError } from '../errors.ts'
import type { DriverVolume, MountedVolume, VolumeDriver } from '../resources/volumes/volume-driver.ts'
import type { PluginProcess } from './plugin-process.ts'
import type { PluginRecord } from './plugin-record.ts'

const maxAnswerBytes = 1024 * 1024
const maxListBytes = 16 * 1024 * 1024
const maxListed = 100_000

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const Place = z.object({ Mountpoint: text })
const Known = z.object({
  Name: z.string().min(1).max(255),
  Mountpoint: text,
  CreatedAt: text,
  Status: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((value) => value ?? undefined),
})
const Got = z.object({ Volume: Known })
const Listed = z.object({
  Volumes: z
    .array(Known)
    .max(maxListed)
    .nullish()
    .transform((value) => value ?? []),
})
const Capable = z.object({ Capabilities: z.object({ Scope: text }) })

export class VolumePlugin implements VolumeDriver {
  readonly #plugin: () => PluginRecord
  readonly #process: PluginProcess

  constructor(plugin: () => PluginRecord, process: PluginProcess) {
    this.#plugin = plugin
    this.#process = process
  }

  get name(): string {
    return this.#plugin().name
  }

  async scope(): Promise<'local' | 'global'> {
    // Plugins of the first days do not know the question.
    const told = await this.#call('Capabilities', {}, Capable).catch(() => undefined)
    return told?.Capabilities.Scope.toLowerCase() === 'global' ? 'global' : 'local'
  }

  async create(name: string, options: Readonly<Record<string, string>>): Promise<void> {
    await this.#call('Create', { Name: name, Opts: options }, z.unknown())
  }

  async remove(name: string): Promise<void> {
    await this.#call('Remove', { Name: name }, z.unknown())
  }

  async get(name: string): Promise<DriverVolume> {
    return this.#known((await this.#call('Get', { Name: name }, Got)).Volume)
  }

  async list(timeoutMs: number): Promise<DriverVolume[]> {
    const { Volumes } = await this.#call('List', {}, Listed, { timeoutMs, maxBytes: maxListBytes })
    return Volumes.map((volume) => this.#known(volume))
  }

  async mount(name: string, id: string): Promise<MountedVolume> {
    const { Mountpoint } = await this.#call('Mount', { Name: name, ID: id }, Place)
    const place = Mountpoint || (await this.#call('Path', { Name: name }, Place)).Mountpoint
    const found = this.#onHost(place)
    if (found !== undefined) return found
    await this.unmount(name, id)
    throw systemError(
      `VolumeDriver.Mount: plugin ${this.name} gave "${place.slice(0, 500)}", which lies neither in its propagatedMount nor in a folder of the host that it has: the engine cannot reach it`,
    )
  }

  async unmount(name: string, id: string): Promise<void> {
    await this.#call('Unmount', { Name: name, ID: id }, z.unknown())
  }

  #known({ Name, Mountpoint, CreatedAt, Status }: z.output<typeof Known>): DriverVolume {
    const mountpoint = Mountpoint === '' ? '' : (this.#onHost(Mountpoint)?.source ?? '')
    return { name: Name, mountpoint, createdAt: CreatedAt, ...(Status === undefined ? {} : { status: Status }) }
  }

  /** A path of the plugin as the host knows it; undefined where the host does not. */
  #onHost(path: string): MountedVolume | undefined {
    const { config, settings } = this.#plugin()
    if (!path.startsWith('/') || path.includes('\0')) return undefined
    const inside = posix.normalize(path)
    const { propagated } = this.#process.folders()
    const shared = [
      ...(config.PropagatedMount === '' ? [] : [{ at: config.PropagatedMount, from: propagated }]),
      ...settings.Mounts.flatMap(({ Type, Source, Destination }) =>
        Type !== 'tmpfs' && Source ? [{ at: Destination, from: Source }] : [],
      ),
    ].map(({ at, from }) => ({ at: at.replace(/\/+$/, ''), from: from.replace(/\/+$/, '') || '/' }))
    const found = shared
      .filter(({ at }) => inside === at || inside.startsWith(`${at}/`))
      .sort((one, other) => other.at.length - one.at.length)[0]
    if (found === undefined) return undefined
    return { source: posix.join(found.from, inside.slice(found.at.length)), within: found.from }
  }

  async #call<T extends z.ZodType>(
    method: string,
    body: object,
    schema: T,
    limits = { timeoutMs: this.#plugin().timeoutMs, maxBytes: maxAnswerBytes },
  ): Promise<z.output<T>> {
    const socket = await this.#process.socket()
    const told = schema.safeParse(await socket.call(`VolumeDriver.${method}`, body, limits))
    if (told.success) return told.data
    throw systemError(`VolumeDriver.${method}: the answer of plugin ${this.name} makes no sense`)
  }
}

// What plugins are made of, on disk: packed layers and configurations by digest, layers as folders, and for each plugin
// what it writes itself.
import { createHash } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { z } from 'zod'
import { invalidParameter } from '../errors.ts'
import { Content, type LayerLimits, limitArgs } from '../images/content.ts'
import { chainIds } from '../images/digest.ts'
import type { FilesProgram } from '../images/files-program.ts'
import type { PluginConfig } from '../resources/plugins/schema.ts'
import type { Rootfs } from '../runtime/runtime.ts'
import { maxConfigBytes, readPluginConfig } from './plugin-config.ts'
import { type PluginLayer, type PluginParts, type PluginRecord, packedLayerType } from './plugin-record.ts'

/** A plugin is a program or a few: what is larger was not meant to be one. */
export const pluginLimits: LayerLimits = { entries: 500_000, bytes: 8 * 2 ** 30 }

export class PluginContent {
  readonly content: Content
  readonly #program: FilesProgram
  #intakes = 0
  #isSweepWanted = false
  #alive: () => readonly PluginParts[] = () => []

  /** `folder`: of all plugins. */
  constructor(folder: string, program: FilesProgram) {
    this.content = new Content(folder, program, pluginLimits)
    this.#program = program
  }

  /** Before the first request: what is not of one of these goes. */
  async open(alive: () => readonly PluginParts[]): Promise<void> {
    this.#alive = alive
    await this.content.prepare()
    await this.content.clearStaging()
    await this.sweep()
  }

  /** Nothing is swept away meanwhile. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#intakes++
    try {
      return await work()
    } finally {
      this.#intakes--
      if (this.#isSweepWanted) await this.sweep()
    }
  }

  /** What no plugin has goes away, now or after what is coming in. */
  async sweep(): Promise<void> {
    this.#isSweepWanted = this.#intakes > 0
    if (this.#isSweepWanted) return
    const all = this.#alive()
    await this.content.sweep({
      blobs: new Set(all.flatMap(({ configDigest, layers }) => [configDigest, ...layers.map(({ digest }) => digest)])),
      layers: new Set(all.flatMap(({ layers }) => chainsOf(layers))),
    })
    await this.content.emptyTrash()
  }

  /** From an archive with a `config.json` and a folder `rootfs`. */
  async fromTar(input: Readable, signal: AbortSignal): Promise<PluginParts> {
    const staging = await this.content.stage()
    try {
      const unpacked = join(staging, 'unpacked')
      await mkdir(unpacked, { mode: 0o700 })
      const args = ['unpack', '--plain', '--into', unpacked, ...limitArgs(pluginLimits)]
      await this.#program.report({ args, input: input.compose(atMost(pluginLimits.bytes)), signal }, z.unknown())
      const given = readPluginConfig(await readConfigFile(join(unpacked, 'config.json')))
      const layer = await this.#packRootfs(join(unpacked, 'rootfs'), staging, signal)
      const parts = await this.keepConfig({ ...given, rootfs: { type: 'layers', diff_ids: [layer.diffId] } })
      await this.content.sync()
      return { ...parts, layers: [layer] }
    } finally {
      await this.content.discard(staging)
    }
  }

  async #packRootfs(rootfs: string, staging: string, signal: AbortSignal): Promise<PluginLayer> {
    const status = await lstat(rootfs).catch(() => undefined)
    if (!status?.isDirectory()) throw invalidParameter('the archive of a plugin needs a folder named rootfs')
    const tar = join(staging, 'layer.tar')
    const { diffId } = await this.content.pack(rootfs, tar, { signal })
    const packed = join(staging, 'layer.tar.gz')
    const { digest, size } = await compress(tar, packed, signal)
    if (!(await this.content.hasBlob(digest))) await this.content.takeFile(packed, digest)
    const made = join(staging, 'layer')
    await mkdir(made, { mode: 0o711 })
    await rename(rootfs, join(made, 'diff'))
    const layer = { digest, size, mediaType: packedLayerType, diffId }
    if (await this.content.hasLayer(diffId)) return layer
    await this.content.unpacked(made, { diffId, digest, bytes: 0, size: 0, entries: 0 }).place(diffId)
    return layer
  }

  async keepConfig(config: PluginConfig): Promise<Omit<PluginParts, 'layers'>> {
    const bytes = Buffer.from(JSON.stringify(config))
    return { config, configDigest: await this.content.keepBytes(bytes), configBytes: bytes.length }
  }

  folderOf(id: string): string {
    return join(this.content.folder, 'containers', id)
  }

  /** Its layers below, and what it has written since it was installed above. */
  async rootfs({ id, layers }: PluginRecord): Promise<Rootfs> {
    const [upper, work] = ['upper', 'work'].map((name) => join(this.folderOf(id), name)) as [string, string]
    for (const folder of [upper, work]) await mkdir(folder, { recursive: true, mode: 0o755 })
    const lower = chainsOf(layers).map((chainId) => this.content.layerFolder(chainId))
    return { lower: lower.reverse(), upper, work }
  }

  /** What it wrote belongs to the layers that it had. */
  async clearRootfs(id: string): Promise<void> {
    for (const name of ['upper', 'work']) await rm(join(this.folderOf(id), name), { recursive: true, force: true })
  }
}

const chainsOf = (layers: readonly PluginLayer[]): string[] => chainIds(layers.map(({ diffId }) => diffId))

async function readConfigFile(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) throw invalidParameter('the archive of a plugin needs a file named config.json')
  try {
    const status = await file.stat()
    if (!status.isFile()) throw invalidParameter('config.json is no plain file')
    if (status.size > maxConfigBytes) throw invalidParameter(`config.json has more than ${maxConfigBytes} bytes`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function atMost(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(invalidParameter(`a plugin may have ${maxBytes} bytes at most`))
      else done(null, chunk)
    },
  })
}

async function compress(from: string, to: string, signal: AbortSignal): Promise<{ digest: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(createReadStream(from), createGzip(), counted, createWriteStream(to), { signal })
  return { digest: `sha256:${hash.digest('hex')}`, size }
}

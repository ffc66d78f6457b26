// A store on disk that is just enough for the tests of the registry client: blobs by digest, layers as plain tars.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { systemError } from '../../../errors.ts'
import { digestOf, digitsOf } from '../../digest.ts'
import { isIndex, mediaTypeOf, readConfigBytes, readManifestBytes } from '../../image-documents.ts'
import type { ImageBlobs, ImageIntake, LayerPlace, Manifest, ManifestIndex } from '../../image-intake.ts'

export class DiskBlobs implements ImageBlobs {
  readonly folder: string
  /** By canonical name. */
  readonly names = new Map<string, { target: string; imageId: string }>()
  /** Intakes that are open. */
  open = 0
  #puts = 0

  constructor(folder: string) {
    this.folder = folder
  }

  static async create(folder: string): Promise<DiskBlobs> {
    for (const name of ['blobs', 'partial', 'layers']) await mkdir(join(folder, name), { recursive: true })
    return new DiskBlobs(folder)
  }

  /** What lies in one of its folders. */
  files(kind: 'blobs' | 'partial' | 'layers'): string[] {
    return readdirSync(join(this.folder, kind))
  }

  async put(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes)
    // Aside first: whoever asks for it never sees a part of it.
    const aside = join(this.folder, String(++this.#puts))
    await writeFile(aside, bytes)
    await rename(aside, this.#blob(digest))
    return digest
  }

  async intake(): Promise<ImageIntake> {
    this.open++
    const unpack = (from: string, digest: string, place: LayerPlace) => this.#unpack(from, digest, place)
    return {
      [Symbol.asyncDispose]: async () => {
        this.open--
      },
      hasBlob: (digest) => this.hasBlob(digest),
      partial: async (digest) => this.partialFile(digest),
      keepBytes: async (digest, bytes) => {
        if (digestOf(bytes) !== digest) throw systemError('digest mismatch')
        await this.put(bytes)
      },
      keepPartial: async (digest, place) => {
        const file = this.partialFile(digest)
        try {
          if (place !== undefined) await unpack(file, digest, place)
        } catch (problem) {
          await rm(file, { force: true })
          throw problem
        }
        await rename(file, this.#blob(digest))
      },
      unpack: (digest, place) => unpack(this.#blob(digest), digest, place),
      hasLayer: async (chainId) => existsSync(this.#layer(chainId)),
      name: async (reference, target) => {
        const imageId = await this.#imageId(target)
        const before = this.names.get(reference)
        this.names.set(reference, { target, imageId })
        return { imageId, wasThere: before?.target === target && before.imageId === imageId }
      },
    }
  }

  partialFile(digest: string): string {
    return join(this.folder, 'partial', digitsOf(digest))
  }

  async openBlob(digest: string) {
    return createReadStream(this.#blob(digest))
  }

  async readManifest(digest: string): Promise<Manifest | ManifestIndex> {
    return readManifestBytes(await readFile(this.#blob(digest)))
  }

  async readConfig(digest: string) {
    return readConfigBytes(await readFile(this.#blob(digest)))
  }

  async hasBlob(digest: string): Promise<boolean> {
    return existsSync(this.#blob(digest))
  }

  async blobSize(digest: string): Promise<number> {
    return (await stat(this.#blob(digest))).size
  }

  async target(reference: string) {
    const known = this.names.get(reference)
    if (known === undefined) return undefined
    const { target: digest } = known
    return { digest, mediaType: mediaTypeOf(await this.readManifest(digest)), size: await this.blobSize(digest) }
  }

  tags(repository: string): string[] {
    const start = `${repository}:`
    return [...this.names.keys()].filter((name) => name.startsWith(start)).map((name) => name.slice(start.length))
  }

  async nameDigest(repository: string, digest: string, imageId: string): Promise<void> {
    this.names.set(`${repository}@${digest}`, { target: digest, imageId })
  }

  async #unpack(file: string, digest: string, { diffId, chainId }: LayerPlace): Promise<void> {
    const bytes = await readFile(file)
    const got = createHash('sha256').update(bytes).digest('hex')
    if (`sha256:${got}` !== digest) throw systemError(`digest mismatch: expected ${digest}, got sha256:${got}`)
    const tar = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes
    if (digestOf(tar) !== diffId) throw systemError(`digest mismatch: expected ${diffId}, got ${digestOf(tar)}`)
    await writeFile(this.#layer(chainId), tar)
  }

  async #imageId(target: string): Promise<string> {
    const document = await this.readManifest(target)
    if (!isIndex(document)) return document.config.digest
    const here = document.manifests.find(({ digest }) => existsSync(this.#blob(digest)))
    if (here === undefined) throw systemError('nothing of the index is here')
    return this.#imageId(here.digest)
  }

  #blob(digest: string): string {
    return join(this.folder, 'blobs', digitsOf(digest))
  }

  #layer(chainId: string): string {
    return join(this.folder, 'layers', digitsOf(chainId))
  }
}

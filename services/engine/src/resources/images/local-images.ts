// The image side as the other parts of the engine see it.
import { mkdir, realpath, rm, rmdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { noSuchImage } from '../../errors.ts'
import type { Images, RootfsFiles, StoredImage } from '../../images/images.ts'
import { initLayer } from '../../images/init-layer.ts'
import { hostPlatform } from '../../images/platform.ts'
import type { Rootfs } from '../../runtime/runtime.ts'
import type { CatalogImage } from './catalog.ts'
import type { ImageLibrary } from './image-library.ts'
import { commitImage } from './new-image.ts'
import type { ImagesService } from './service.ts'
import { repoDigests, repoTags } from './views.ts'

export interface ImageParts {
  library: ImageLibrary
  service: ImagesService
  files: RootfsFiles
}

export function createImages({ library, service, files }: ImageParts): Images {
  const { catalog, content } = library
  const folderOf = (containerId: string): string => join(content.folder, 'containers', containerId)

  const describe = (image: CatalogImage): StoredImage => {
    const names = catalog.namesOf(image.id)
    return {
      id: image.id,
      config: image.config,
      repoTags: repoTags(names),
      repoDigests: repoDigests(names),
      size: catalog.sizeOf(image),
      created: image.config.created,
    }
  }

  const rootfs = (containerId: string): Rootfs => {
    const chain = catalog.rootfs.get(containerId)?.chainIds ?? []
    const layers = chain.map((chainId) => content.layerFolder(chainId)).reverse()
    const folder = folderOf(containerId)
    return { lower: [initLayer(content.folder), ...layers], upper: join(folder, 'upper'), work: join(folder, 'work') }
  }

  return {
    hostPlatform,
    async find(reference, platform) {
      const image = catalog.steps.get(reference) ?? catalog.find(reference, platform)
      return image === undefined ? undefined : describe(image)
    },
    usedBy: (check) => service.usedBy(check),
    async createRootfs(containerId, imageId, workingFolder = '/') {
      await catalog.exclusively(async () => {
        const image = catalog.steps.get(imageId) ?? catalog.images.get(imageId)
        if (image === undefined) throw noSuchImage(imageId)
        const chain_ids = JSON.stringify(image.chainIds)
        await catalog.change({ rootfs: [{ container_id: containerId, image_id: imageId, chain_ids }] })
      })
      const made = rootfs(containerId)
      await mkdir(made.upper, { recursive: true, mode: 0o755 })
      await mkdir(made.work, { recursive: true, mode: 0o700 })
      await unpacked(library, imageId)
      if (!(await isInLayers(made.lower, workingFolder))) await files.makeFolder(made, workingFolder)
      return made
    },
    async rootfs(containerId, imageId) {
      await unpacked(library, imageId)
      return rootfs(containerId)
    },
    async removeRootfs(containerId) {
      const { upper, work } = rootfs(containerId)
      for (const folder of [upper, work]) await content.discard(folder)
      await rmdir(folderOf(containerId)).catch(() => {})
      const was = catalog.rootfs.get(containerId)
      if (was !== undefined) await catalog.exclusively(() => catalog.change({}, { rootfs: [containerId] }))
      // The image went before its container: now its layers can.
      if (was !== undefined && !catalog.images.has(was.imageId)) await library.sweep()
      else await content.emptyTrash()
    },
    async rootfsSize(containerId, imageId) {
      const own = await content.sizeOf(rootfs(containerId).upper)
      const chain = catalog.rootfs.get(containerId)?.chainIds ?? catalog.images.get(imageId)?.chainIds ?? []
      return { own, all: own + chain.reduce((sum, chainId) => sum + (catalog.layers.get(chainId)?.size ?? 0), 0) }
    },
    async commit({ containerId, imageId }, as) {
      const id = await commitImage(library, { upper: rootfs(containerId).upper, imageId }, as)
      service.created(id)
      return id
    },
  }
}

/** Without a look at what other layers hide: what is hidden is rare, and made when the container starts. */
async function isInLayers(layers: readonly string[], folder: string): Promise<boolean> {
  if (posix.normalize(folder) === '/') return true
  const places = layers.map((layer) => join(layer, posix.normalize(`/${folder}`)))
  // Links lead elsewhere from here than from within.
  const found = await Promise.all(places.map(async (place) => (await realpath(place).catch(() => '')) === place))
  return found.includes(true)
}

/** Of an image that is gone the layers are still there: a container stands on them. */
async function unpacked(library: ImageLibrary, imageId: string): Promise<void> {
  const image = library.catalog.images.get(imageId)
  if (image !== undefined) await library.unpackAll(image)
}

/** Folders of containers that no row knows: left by an end at a bad moment. */
export async function removeStrayRootfs(library: ImageLibrary, folders: readonly string[]): Promise<void> {
  const { catalog, content } = library
  for (const id of folders.filter((name) => !catalog.rootfs.has(name))) {
    for (const part of ['upper', 'work']) {
      await rm(join(content.folder, 'containers', id, part), { recursive: true, force: true })
    }
  }
}

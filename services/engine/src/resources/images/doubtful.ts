// After the machine went down: what was written shortly before may be on the disk only in part.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Content } from '../../images/content.ts'
import { isIndex } from '../../images/image-documents.ts'
import type { CatalogImage, ImageCatalog } from './catalog.ts'

interface Parts {
  catalog: ImageCatalog
  content: Content
  log: Log
}

/**
 * Layers of an earlier boot that nobody saw on the disk go, and are unpacked anew when needed. Blobs of one are looked
 * at: those that are not what they were take their images with them.
 */
export async function dropDoubtful({ catalog, content, log }: Parts, bootId: string): Promise<void> {
  const layers = [...catalog.layers.values()]
    .filter(({ boot_id }) => boot_id !== '' && boot_id !== bootId)
    .map(({ chain_id }) => chain_id)
  for (const chainId of layers) await content.discardLayer(chainId)
  const broken = new Set<string>()
  const doubtful = [...catalog.unsynced].filter(([, boot]) => boot !== bootId).map(([digest]) => digest)
  for (const digest of doubtful) {
    if (!(await isWhole(content, digest))) broken.add(digest)
  }
  for (const digest of broken) await content.discard(content.blobPath(digest))
  const images = [...catalog.images.values()].filter((image) => blobsOf(catalog, image).some((it) => broken.has(it)))
  const ids = new Set(images.map(({ id }) => id))
  for (const id of ids) log.warn({ image: id }, 'An image was lost: the machine went down before it was on the disk')
  const names = [...catalog.names.values()]
    .filter(({ image_id, target }) => ids.has(image_id) || broken.has(target))
    .map(({ name }) => name)
  const manifests = [...broken].filter((digest) => catalog.manifests.has(digest))
  const lost = new Set(layers)
  const built = [...catalog.built.values()]
    .filter(({ digest, chain_id }) => broken.has(digest) || lost.has(chain_id))
    .map(({ key }) => key)
  if (layers.length + doubtful.length === 0) return
  // What was whole now came from the disk.
  await catalog.exclusively(() =>
    catalog.change({}, { layers, names, manifests, images: [...ids], unsynced: doubtful, built }),
  )
}

async function isWhole(content: Content, digest: string): Promise<boolean> {
  if (!(await content.hasBlob(digest))) return false
  return (await content.hash(content.blobPath(digest))).digest === digest
}

function blobsOf(catalog: ImageCatalog, image: CatalogImage): string[] {
  const document = catalog.manifests.get(image.manifest)?.document
  const blobs = document === undefined || isIndex(document) ? [] : [document.config, ...document.layers]
  return [image.id, image.manifest, ...blobs.map(({ digest }) => digest)]
}

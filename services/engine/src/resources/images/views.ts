// Images as answers show them.
import { isIndex, mediaTypeOf } from '../../images/image-documents.ts'
import type { Descriptor } from '../../images/image-intake.ts'
import { initLayer } from '../../images/init-layer.ts'
import { familiarName } from '../../images/reference.ts'
import type { CatalogImage, ImageCatalog, KnownManifest } from './catalog.ts'
import { createdMs } from './image-filters.ts'
import type { ImageLibrary } from './image-library.ts'
import type { HistoryItem, ImageInspect, ImageSummary, ManifestSummary } from './schema.ts'

export const repoTags = (names: readonly string[]): string[] =>
  names.filter((name) => !name.includes('@')).map(familiarName)
export const repoDigests = (names: readonly string[]): string[] =>
  names.filter((name) => name.includes('@')).map(familiarName)

export function summary(catalog: ImageCatalog, image: CatalogImage, names: readonly string[]): ImageSummary {
  return {
    Id: image.id,
    ParentId: image.parent,
    RepoTags: repoTags(names),
    RepoDigests: repoDigests(names),
    Created: Math.floor(createdMs(image) / 1_000),
    Size: catalog.sizeOf(image),
    SharedSize: -1,
    Labels: image.config.config?.Labels ?? {},
    Containers: -1,
  }
}

/** Bytes of layers that other images have too. */
export function sharedSize(catalog: ImageCatalog, image: CatalogImage): number {
  const others = new Set([...catalog.images.values()].flatMap(({ id, chainIds }) => (id === image.id ? [] : chainIds)))
  return image.chainIds.reduce(
    (sum, chainId) => sum + (others.has(chainId) ? (catalog.layers.get(chainId)?.size ?? 0) : 0),
    0,
  )
}

/** Part of an answer that is not part of an image: these stay for old clients, always empty. ENG-363 to ENG-371, ENG-727 */
const oldFields = {
  Hostname: '',
  Domainname: '',
  AttachStdin: false,
  AttachStdout: false,
  AttachStderr: false,
  Tty: false,
  OpenStdin: false,
  StdinOnce: false,
  Image: '',
}

/** What an image may have. */
const emptyConfig = {
  ...{ User: '', Env: null, Cmd: null, Volumes: null, WorkingDir: '' },
  ...{ Entrypoint: null, OnBuild: null, Labels: null },
}

const notOfImages = ['NetworkDisabled', 'MacAddress', 'StopTimeout']

export function inspect({ catalog, content }: ImageLibrary, image: CatalogImage): ImageInspect {
  const { config, chainIds } = image
  const names = catalog.namesOf(image.id)
  const own = Object.entries(config.config ?? {}).filter(([name]) => !notOfImages.includes(name))
  const [top, ...below] = chainIds.map((chainId) => content.layerFolder(chainId)).reverse()
  return {
    Id: image.id,
    RepoTags: repoTags(names),
    RepoDigests: repoDigests(names),
    Parent: image.parent,
    Comment: config.history?.at(-1)?.comment ?? '',
    ...(config.created !== undefined && { Created: config.created }),
    DockerVersion: '',
    Author: config.author ?? '',
    Config: { ...emptyConfig, ...Object.fromEntries(own), ...oldFields },
    Architecture: config.architecture,
    ...(config.variant !== undefined && { Variant: config.variant }),
    Os: config.os,
    ...(config['os.version'] !== undefined && { OsVersion: config['os.version'] }),
    Size: catalog.sizeOf(image),
    GraphDriver: {
      Name: 'overlay2',
      Data: {
        ...(below.length > 0 && { LowerDir: below.join(':') }),
        UpperDir: top ?? initLayer(content.folder),
      },
    },
    RootFS: { Type: 'layers', Layers: config.rootfs.diff_ids },
    Metadata: {
      LastTagTime: image.tagged_at === 0 ? '0001-01-01T00:00:00Z' : new Date(image.tagged_at).toISOString(),
    },
  }
}

/** The newest step first. Steps of images that are here too have their ids. */
export function history(catalog: ImageCatalog, image: CatalogImage): HistoryItem[] {
  const { config, chainIds } = image
  const sizes = chainIds.map((chainId) => catalog.layers.get(chainId)?.size ?? 0)
  const told = config.history ?? sizes.map(() => ({ created: config.created }))
  let layer = 0
  const items = told.map((step): HistoryItem => {
    const isEmpty = 'empty_layer' in step && step.empty_layer === true
    const size = isEmpty ? 0 : (sizes[layer] ?? 0)
    if (!isEmpty) layer += 1
    return {
      Id: '<missing>',
      Created: Math.floor((Date.parse(step.created ?? '') || 0) / 1_000),
      CreatedBy: 'created_by' in step ? (step.created_by ?? '') : '',
      Tags: null,
      Size: size,
      Comment: 'comment' in step ? (step.comment ?? '') : '',
    }
  })
  let known: CatalogImage | undefined = image
  for (const item of items.reverse()) {
    if (known === undefined) break
    const tags = repoTags(catalog.namesOf(known.id))
    Object.assign(item, { Id: known.id, Tags: tags.length === 0 ? null : tags })
    known = catalog.images.get(known.parent)
  }
  return items
}

/** What is behind the names of an image: one manifest, or all that an index lists. ENG-359, ENG-360 */
export function manifestSummaries(
  catalog: ImageCatalog,
  image: CatalogImage,
  usedBy: (imageId: string) => string[],
): ManifestSummary[] {
  const targets = new Set([...catalog.names.values()].flatMap((row) => (row.image_id === image.id ? [row.target] : [])))
  if (targets.size === 0) targets.add(image.manifest)
  const descriptors = new Map<string, Descriptor>()
  for (const known of [...targets].flatMap((target) => catalog.manifestsUnder(target))) {
    if (!isIndex(known.document)) {
      if (!descriptors.has(known.digest)) descriptors.set(known.digest, descriptorOf(known))
      continue
    }
    for (const listed of known.document.manifests) {
      if (!listed.mediaType.includes('index') && !listed.mediaType.includes('list'))
        descriptors.set(listed.digest, listed)
    }
  }
  return [...descriptors.values()].map((descriptor) => manifestSummary(catalog, descriptor, usedBy))
}

const descriptorOf = ({ digest, size, document }: KnownManifest): Descriptor => ({
  mediaType: mediaTypeOf(document),
  digest,
  size,
})

function manifestSummary(
  catalog: ImageCatalog,
  descriptor: Descriptor,
  usedBy: (imageId: string) => string[],
): ManifestSummary {
  const document = catalog.manifests.get(descriptor.digest)?.document
  const manifest = document === undefined || isIndex(document) ? undefined : document
  const image = manifest === undefined ? undefined : catalog.images.get(manifest.config.digest)
  const isAttestation = descriptor.annotations?.['vnd.docker.reference.type'] === 'attestation-manifest'
  const blobs = manifest === undefined ? [] : [manifest.config, ...manifest.layers]
  const isHere = image !== undefined || (isAttestation && manifest !== undefined)
  const content =
    (manifest === undefined ? 0 : descriptor.size) + (isHere ? blobs.reduce((sum, { size }) => sum + size, 0) : 0)
  const unpacked = image?.chainIds.reduce((sum, chainId) => sum + (catalog.layers.get(chainId)?.size ?? 0), 0) ?? 0
  const platform = descriptor.platform ?? image?.config
  const base = {
    ID: descriptor.digest,
    Descriptor: { ...descriptor },
    Available: isHere,
    Size: { Content: content, Total: content + unpacked },
  }
  if (isAttestation) {
    const target = descriptor.annotations?.['vnd.docker.reference.digest'] ?? ''
    return { ...base, Kind: 'attestation', AttestationData: { For: target } }
  }
  if (platform === undefined) return { ...base, Kind: 'unknown' }
  const { os, architecture, variant } = platform
  return {
    ...base,
    Kind: 'image',
    ImageData: {
      Platform: { architecture, os, ...(variant !== undefined && { variant }) },
      Containers: image === undefined ? [] : usedBy(image.id),
      Size: { Unpacked: unpacked },
    },
  }
}

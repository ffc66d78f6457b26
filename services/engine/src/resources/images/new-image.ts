// Images made here: from a tar of a root file system, or from a container's changes.
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { invalidParameter, noSuchImage } from '../../errors.ts'
import { chainIds } from '../../images/digest.ts'
import { mediaTypes } from '../../images/image-documents.ts'
import type { Descriptor } from '../../images/image-intake.ts'
import type { CommitOptions, ImageConfig, Platform } from '../../images/images.ts'
import { layerType } from '../../images/layer-type.ts'
import { canonicalName, parseReference } from '../../images/reference.ts'
import type { CatalogImage } from './catalog.ts'
import type { ImageLibrary } from './image-library.ts'
import { LibraryIntake } from './intake.ts'

export interface ImportOptions {
  /** Absent: no name. */
  reference?: string
  message: string
  platform: Platform
  config: NonNullable<ImageConfig['config']>
  signal: AbortSignal
}

interface Draft {
  config: ImageConfig
  layers: Descriptor[]
  /** Canonical. */
  names: readonly string[]
  parent: string
}

const namesOf = (reference: string | undefined): string[] =>
  reference === undefined ? [] : [canonicalName(parseReference(reference))]

export async function importImage(library: ImageLibrary, input: Readable, options: ImportOptions): Promise<string> {
  const { message, platform, config, signal, reference } = options
  const leave = await library.enter()
  const { content } = library
  const staging = await content.stage()
  try {
    const blob = join(staging, 'layer')
    const layer = await content.unpack({ input, blob }, { signal })
    await content.takeFile(blob, layer.digest)
    await library.unpack({ chainId: layer.diffId, diffId: layer.diffId }, async () => layer)
    await layer.discard()
    const created = new Date(library.now()).toISOString()
    const mediaType = await layerType(content.blobPath(layer.digest))
    return await keepImage(library, leave, {
      config: {
        ...platform,
        created,
        config,
        rootfs: { type: 'layers', diff_ids: [layer.diffId] },
        history: [{ created, comment: message }],
      },
      layers: [{ mediaType, digest: layer.digest, size: layer.bytes }],
      names: namesOf(reference),
      parent: '',
    })
  } finally {
    await content.unstage(staging)
    await library.sweepAfter(leave)
  }
}

/** `upper` is the container's own folder, in overlay form. */
export async function commitImage(
  library: ImageLibrary,
  from: { upper: string; imageId: string },
  { config, author, comment, reference, createdBy }: CommitOptions,
): Promise<string> {
  const base = library.catalog.images.get(from.imageId)
  if (base === undefined) throw noSuchImage(from.imageId)
  const leave = await library.enter()
  const { content } = library
  const staging = await content.stage()
  try {
    const blob = join(staging, 'layer')
    const packed = await content.pack(from.upper, blob)
    await content.takeFile(blob, packed.digest)
    const diffIds = [...base.config.rootfs.diff_ids, packed.diffId]
    const chainId = chainIds(diffIds).at(-1)
    if (chainId === undefined) throw invalidParameter('an image needs a layer')
    const file = content.blobPath(packed.digest)
    await library.unpack({ chainId, diffId: packed.diffId }, () => content.unpack({ file }))
    const created = new Date(library.now()).toISOString()
    const step = { created, created_by: createdBy, ...(author && { author }), ...(comment && { comment }) }
    const { variant, architecture, os } = base.config
    return await keepImage(library, leave, {
      config: {
        architecture,
        os,
        ...(variant !== undefined && { variant }),
        ...(author && { author }),
        created,
        config,
        rootfs: { type: 'layers', diff_ids: diffIds },
        history: [...(base.config.history ?? []), step],
      },
      layers: [
        ...baseLayers(library, base),
        { mediaType: mediaTypes.layer, digest: packed.digest, size: packed.bytes },
      ],
      names: namesOf(reference),
      parent: base.id,
    })
  } finally {
    await content.unstage(staging)
    await library.sweepAfter(leave)
  }
}

const baseLayers = ({ catalog }: ImageLibrary, base: CatalogImage): Descriptor[] => catalog.layersOf(base)

/** Makes an image of what is kept already. Only while an intake is open, which `leave` ends. */
export async function keepImage(library: ImageLibrary, leave: () => Promise<void>, draft: Draft): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(draft.config))
  const digest = await library.content.keepBytes(bytes)
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: { mediaType: mediaTypes.config, digest, size: bytes.length },
    layers: draft.layers,
  }
  const target = await library.content.keepBytes(Buffer.from(JSON.stringify(manifest)))
  const { imageId } = await new LibraryIntake(library, leave).register(target, draft.names, draft.parent)
  return imageId
}

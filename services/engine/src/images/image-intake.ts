// How images get into the store and out of it piece by piece: what a registry client needs. Nothing of an intake is
// seen, or swept away, before it is finished.
import type { Readable } from 'node:stream'
import type { ImageConfig, Platform } from './images.ts'

export interface Descriptor {
  mediaType: string
  digest: string
  size: number
  urls?: string[]
  annotations?: Record<string, string>
  platform?: Platform & { 'os.version'?: string; 'os.features'?: string[] }
}

/** An image manifest, of OCI or Docker's schema 2. */
export interface Manifest {
  schemaVersion: 2
  mediaType?: string
  config: Descriptor
  layers: Descriptor[]
  annotations?: Record<string, string>
}

/** One name for several platforms: an OCI index or Docker's manifest list. */
export interface ManifestIndex {
  schemaVersion: 2
  mediaType?: string
  manifests: Descriptor[]
  annotations?: Record<string, string>
}

export interface ImageIntake extends AsyncDisposable {
  hasBlob(digest: string): Promise<boolean>
  /** A file for a download in progress; it stays when the download breaks off, so that a later one goes on from its length. */
  partial(digest: string): Promise<string>
  /** Small things at hand: manifests and configurations. Refused when the digest is another. */
  keepBytes(digest: string, bytes: Uint8Array): Promise<void>
  /**
   * A whole download (`partial`) becomes a blob once its digest is right; a wrong one is removed, and an error thrown.
   * With `layer` it is unpacked in the same pass, and the digest of what is in it is checked too.
   */
  keepPartial(digest: string, layer?: LayerPlace, onProgress?: UnpackProgress): Promise<void>
  /** A blob that is here already is unpacked, if it is not yet. */
  unpack(digest: string, layer: LayerPlace, onProgress?: UnpackProgress): Promise<void>
  /** Is this layer unpacked already, from whatever blob? */
  hasLayer(chainId: string): Promise<boolean>
  /**
   * From here on the image has this name. `target` is a manifest or an index whose blobs are kept; platforms of an
   * index that are not here are left out. Layers of the host's platform that are not unpacked yet are unpacked.
   */
  name(reference: string, target: string): Promise<NamedImage>
}

/** Told how many bytes of a blob are unpacked. */
export type UnpackProgress = (bytes: number) => void

export interface LayerPlace {
  /** The digest of the uncompressed tar. */
  diffId: string
  /** The digest of this layer with all below it: `chainIds`. */
  chainId: string
}

export interface NamedImage {
  imageId: string
  /** Nothing changed: the name stood for this target already. */
  wasThere: boolean
}

/** The store as a registry client sees it. */
export interface ImageBlobs {
  /** Waits until nothing is being swept away; ends with `await using`. */
  intake(): Promise<ImageIntake>
  openBlob(digest: string): Promise<Readable>
  readManifest(digest: string): Promise<Manifest | ManifestIndex>
  readConfig(digest: string): Promise<ImageConfig>
  hasBlob(digest: string): Promise<boolean>
  blobSize(digest: string): Promise<number>
  /** What a name stands for: the digest of a manifest or an index, and its media type. Undefined: not here. */
  target(reference: string): Promise<Descriptor | undefined>
  /** Tags of a repository (`docker.io/library/busybox`). */
  tags(repository: string): string[]
  /** After a push: the image can be called by this digest too. */
  nameDigest(repository: string, digest: string, imageId: string): Promise<void>
}

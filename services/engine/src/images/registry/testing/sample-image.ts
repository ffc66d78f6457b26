// Images made up for tests, put into a store under a name.
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { digestOf } from '../../digest.ts'
import type { Descriptor } from '../../image-intake.ts'
import type { Platform } from '../../images.ts'
import type { DiskBlobs } from './disk-blobs.ts'

const kinds = {
  oci: {
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    index: 'application/vnd.oci.image.index.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  },
  docker: {
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    index: 'application/vnd.docker.distribution.manifest.list.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  },
}

export type Kind = keyof typeof kinds

interface ImageWish {
  kind?: Kind
  /** Bytes of a file in each layer; what is in it is random. */
  layers?: readonly number[]
  platform?: Platform
}

interface SampleImage {
  descriptor: Descriptor
  configDigest: string
  /** Compressed, bottom first. */
  layers: Descriptor[]
  diffIds: string[]
}

export async function makeImage(blobs: DiskBlobs, wish: ImageWish = {}): Promise<SampleImage> {
  const { kind = 'oci', layers: sizes = [1_000], platform = { os: 'linux', architecture: 'arm64' } } = wish
  const types = kinds[kind]
  const tars = sizes.map((size) => tarOf('file', randomBytes(size)))
  const layers: Descriptor[] = []
  for (const tar of tars) {
    const packed = gzipSync(tar, { level: 1 })
    layers.push({ mediaType: types.layer, digest: await blobs.put(packed), size: packed.length })
  }
  const diffIds = tars.map(digestOf)
  const config = Buffer.from(JSON.stringify({ ...platform, config: {}, rootfs: { type: 'layers', diff_ids: diffIds } }))
  const configDigest = await blobs.put(config)
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: { mediaType: types.config, digest: configDigest, size: config.length },
      layers,
    }),
  )
  const digest = await blobs.put(manifest)
  return {
    descriptor: { mediaType: types.manifest, digest, size: manifest.length, platform },
    configDigest,
    layers,
    diffIds,
  }
}

export async function makeIndex(blobs: DiskBlobs, images: readonly SampleImage[], kind: Kind = 'oci'): Promise<string> {
  const manifests = images.map(({ descriptor }) => descriptor)
  return blobs.put(Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: kinds[kind].index, manifests })))
}

export function nameImage(blobs: DiskBlobs, name: string, target: string, imageId: string): void {
  blobs.names.set(name, { target, imageId })
}

/** A tar with one file. */
export function tarOf(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512)
  return Buffer.concat([header, content, padding, Buffer.alloc(1024)])
}

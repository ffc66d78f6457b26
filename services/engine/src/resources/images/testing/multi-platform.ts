// An archive of an image for several platforms, as `docker save` writes one.
import { digestOf } from '../../../images/digest.ts'
import { hostPlatform } from '../../../images/platform.ts'
import { type SampleEntry, tarOf } from './sample-tars.ts'

const type = (what: string): string => `application/vnd.oci.image.${what}.v1+json`
export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
export const otherPlatform = { os: 'linux', architecture: 's390x' }

interface Layout {
  files: Map<string, Buffer>
  add(bytes: Buffer, mediaType: string): { mediaType: string; digest: string; size: number }
}

function layout(): Layout {
  const files = new Map<string, Buffer>()
  return {
    files,
    add(bytes, mediaType) {
      const digest = digestOf(bytes)
      files.set(`blobs/sha256/${digest.slice(7)}`, bytes)
      return { mediaType, digest, size: bytes.length }
    },
  }
}

function addImage(to: Layout, platform: object, name: string) {
  const tar = tarOf([{ name, data: name }])
  const layers = [to.add(tar, 'application/vnd.oci.image.layer.v1.tar')]
  const config = to.add(json({ ...platform, rootfs: { type: 'layers', diff_ids: [digestOf(tar)] } }), type('config'))
  const manifest = to.add(json({ schemaVersion: 2, mediaType: type('manifest'), config, layers }), type('manifest'))
  return { ...manifest, platform, imageId: config.digest }
}

/** The host's platform, another, an attestation, and one that is not in the archive unless all are to be there. */
export function multiPlatform({ isWhole = false } = {}) {
  const made = layout()
  const { imageId: hostId, ...host } = addImage(made, hostPlatform, 'for-host')
  const { imageId: otherId, ...foreign } = addImage(made, otherPlatform, 'for-other')
  const statement = made.add(json({ statement: 'made by hand' }), 'application/vnd.in-toto+json')
  const empty = made.add(json({ rootfs: { type: 'layers', diff_ids: [digestOf('x')] } }), type('config'))
  const attestation = made.add(
    json({ schemaVersion: 2, mediaType: type('manifest'), config: empty, layers: [statement] }),
    type('manifest'),
  )
  const annotations = {
    'vnd.docker.reference.type': 'attestation-manifest',
    'vnd.docker.reference.digest': host.digest,
  }
  const absent = {
    mediaType: type('manifest'),
    digest: digestOf('absent'),
    size: 10,
    platform: { os: 'linux', architecture: 'riscv64' },
  }
  const manifests = [
    host,
    foreign,
    ...(isWhole ? [] : [absent]),
    { ...attestation, annotations, platform: { os: 'unknown', architecture: 'unknown' } },
  ]
  const index = made.add(json({ schemaVersion: 2, mediaType: type('index'), manifests }), type('index'))
  made.files.set('oci-layout', json({ imageLayoutVersion: '1.0.0' }))
  const named = { ...index, annotations: { 'io.containerd.image.name': 'docker.io/library/many:1' } }
  made.files.set('index.json', json({ schemaVersion: 2, manifests: [named] }))
  const entries = [...made.files].map(([name, data]): SampleEntry => ({ name, data }))
  return { tar: tarOf(entries), files: made.files, hostId, otherId, host, foreign, absent, attestation, index }
}

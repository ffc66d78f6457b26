import { describe, expect, it } from 'vitest'
import { digestOf } from '../../images/digest.ts'
import { hostPlatform } from '../../images/platform.ts'
import { type ImagesServer, imagesServer } from './testing/images-server.ts'
import { type SampleEntry, tarOf } from './testing/sample-tars.ts'

const type = (what: string): string => `application/vnd.oci.image.${what}.v1+json`
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const other = { os: 'linux', architecture: 's390x' }

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

/** The host's platform, another, one that is not in the archive, and an attestation. */
function multiPlatform() {
  const made = layout()
  const { imageId: hostId, ...host } = addImage(made, hostPlatform, 'for-host')
  const { imageId: otherId, ...foreign } = addImage(made, other, 'for-other')
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
    absent,
    { ...attestation, annotations, platform: { os: 'unknown', architecture: 'unknown' } },
  ]
  const index = made.add(json({ schemaVersion: 2, mediaType: type('index'), manifests }), type('index'))
  made.files.set('oci-layout', json({ imageLayoutVersion: '1.0.0' }))
  const named = { ...index, annotations: { 'io.containerd.image.name': 'docker.io/library/many:1' } }
  made.files.set('index.json', json({ schemaVersion: 2, manifests: [named] }))
  const entries = [...made.files].map(([name, data]): SampleEntry => ({ name, data }))
  return { tar: tarOf(entries), files: made.files, hostId, otherId, host, foreign, absent, attestation, index }
}

async function loaded(): Promise<{ server: ImagesServer; sample: ReturnType<typeof multiPlatform> }> {
  const server = await imagesServer()
  const sample = multiPlatform()
  const answer = await server.call('POST', '/images/load', sample.tar)
  expect(answer.status, answer.text).toBe(200)
  return { server, sample }
}

describe('An image of several platforms', () => {
  it('is one image in the list, the host’s, and has the others behind its name', async () => {
    const { server, sample } = await loaded()
    expect((await server.call('GET', '/images/json')).json).toMatchObject([{ Id: sample.hostId, RepoTags: ['many:1'] }])
    expect(await server.side.images.find('many:1')).toMatchObject({ id: sample.hostId })
    expect(await server.side.images.find('many:1', other)).toMatchObject({ id: sample.otherId })
    expect(await server.side.images.find('many:1', { os: 'linux', architecture: 'riscv64' })).toBeUndefined()
    const rootfs = await server.side.images.createRootfs('c1', sample.otherId)
    expect(rootfs.lower.length).toBe(2)
  })

  it('ENG-357 ENG-358 ENG-359 ENG-360 lists its manifests and attestations when asked', async () => {
    const { server, sample } = await loaded()
    const [plain] = (await server.call('GET', '/images/json')).json
    expect(plain).not.toHaveProperty('Manifests')
    const [row] = (await server.call('GET', '/images/json?manifests=true')).json
    expect(row.Manifests).toMatchObject([
      { ID: sample.host.digest, Kind: 'image', Available: true, ImageData: { Platform: hostPlatform } },
      { ID: sample.foreign.digest, Kind: 'image', Available: true, ImageData: { Platform: other } },
      { ID: sample.absent.digest, Kind: 'image', Available: false, Size: { Content: 0, Total: 0 } },
      { ID: sample.attestation.digest, Kind: 'attestation', AttestationData: { For: sample.host.digest } },
    ])
  })

  it('is saved whole and loaded again with the same index', async () => {
    const { server, sample } = await loaded()
    const saved = await server.call('GET', '/images/many:1/get')
    const next = await imagesServer()
    expect((await next.call('POST', '/images/load', saved.bytes)).status).toBe(200)
    expect((await next.side.blobs.target('many:1'))?.digest).toBe(sample.index.digest)
    expect(await next.side.images.find('many:1', other)).toMatchObject({ id: sample.otherId })
  })

  it('goes with all its platforms', async () => {
    const { server, sample } = await loaded()
    const { json: items } = await server.call('DELETE', '/images/many:1')
    expect(items).toContainEqual({ Untagged: 'many:1' })
    expect(items).toContainEqual({ Deleted: sample.hostId })
    expect(items).toContainEqual({ Deleted: sample.otherId })
    expect((await server.call('GET', '/images/json?all=1')).json).toEqual([])
  })

  it('is refused when a blob is not what its name says', async () => {
    const { files, host } = multiPlatform()
    const server = await imagesServer()
    files.set(`blobs/sha256/${host.digest.slice(7)}`, json({ another: 'manifest' }))
    const tar = tarOf([...files].map(([name, data]): SampleEntry => ({ name, data })))
    const answer = await server.call('POST', '/images/load', tar)
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('digest mismatch')])
  })
})

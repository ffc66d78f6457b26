import { describe, expect, it } from 'vitest'
import { hostPlatform } from '../../images/platform.ts'
import { type ImagesServer, imagesServer } from './testing/images-server.ts'
import { json, multiPlatform, otherPlatform as other } from './testing/multi-platform.ts'
import { type SampleEntry, tarOf } from './testing/sample-tars.ts'

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

  it('lists its manifests and attestations when asked', async () => {
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
    expect(answer.text).toContain('digest mismatch')
    expect((await server.call('GET', '/images/json')).json).toEqual([])
  })
})

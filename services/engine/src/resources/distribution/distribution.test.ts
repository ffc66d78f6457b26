import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inHeader, startApi } from '../../images/registry/testing/registry-api.ts'
import { all, type Engine, forever, makeEngine } from '../../images/registry/testing/registry-engine.ts'
import {
  hasRegistry,
  type RegistryServer,
  registryUser,
  startRegistry,
} from '../../images/registry/testing/registry-server.ts'
import { makeImage, makeIndex, nameImage } from '../../images/registry/testing/sample-image.ts'

describe.skipIf(!hasRegistry)('GET /distribution/{name}/json (package docker-registry)', () => {
  let registry: RegistryServer
  let engine: Engine
  let api: Awaited<ReturnType<typeof startApi>>
  beforeAll(async () => {
    registry = await startRegistry({ basicAuth: true })
    engine = await makeEngine()
    api = await startApi(engine.client)
  })
  afterAll(async () => {
    await api?.close(0)
    await registry?.stop()
  })

  const look = async (
    name: string,
    headers: Record<string, string> = { 'x-registry-auth': inHeader(registryUser) },
  ) => {
    const response = await fetch(`${api.url}/v1.47/distribution/${name}/json`, { headers })
    return { status: response.status, body: await response.json() }
  }
  const push = async (path: string, target: string, imageId: string): Promise<string> => {
    nameImage(engine.blobs, `${registry.host}/${path}:latest`, target, imageId)
    await all(engine.client.push(`${registry.host}/${path}`, { tag: 'latest', auth: registryUser, signal: forever() }))
    return `${registry.host}/${path}`
  }

  it('tells the descriptor of an image, and its platform', async () => {
    const image = await makeImage(engine.blobs, {
      kind: 'docker',
      platform: { os: 'linux', architecture: 'arm', variant: 'v6' },
    })
    const name = await push('team/one', image.descriptor.digest, image.configDigest)
    const told = {
      status: 200,
      body: {
        Descriptor: {
          mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
          digest: image.descriptor.digest,
          size: image.descriptor.size,
        },
        Platforms: [{ architecture: 'arm', os: 'linux', variant: 'v6' }],
      },
    }
    expect(await look(`${name}:latest`)).toEqual(told)
    expect(await look(name)).toEqual(told)
    expect(await look(encodeURIComponent(name))).toEqual(told)
    expect(await look(`${name}@${image.descriptor.digest}`)).toEqual(told)
  })

  it('tells all platforms of an image that has several', async () => {
    const platforms = [
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64', variant: 'v8' },
      { os: 'linux', architecture: 's390x' },
    ]
    const images = await Promise.all(platforms.map((platform) => makeImage(engine.blobs, { platform })))
    const digest = await makeIndex(engine.blobs, images)
    const name = await push('team/many', digest, images[0]!.configDigest)
    const { body } = await look(name)
    expect(body).toMatchObject({
      Descriptor: { mediaType: 'application/vnd.oci.image.index.v1+json', digest },
      Platforms: platforms,
    })
  })

  it('shows the credentials of either header, and refuses others', async () => {
    const name = `${registry.host}/team/nothing`
    const config = inHeader({ 'other:5000': {}, [`http://${registry.host}/v1/`]: registryUser })
    const unknown = { status: 404, body: { message: 'manifest unknown: manifest unknown' } }
    expect(await look(name, { 'x-registry-config': config })).toEqual(unknown)
    const pair = Buffer.from(`${registryUser.username}:${registryUser.password}`).toString('base64')
    expect(await look(name, { 'x-registry-auth': inHeader({ auth: pair }) })).toEqual(unknown)
    const nobody = { status: 401, body: { message: 'no basic auth credentials' } }
    expect(await look(name, {})).toEqual(nobody)
    expect(await look(name, { 'x-registry-auth': 'tmp' })).toEqual(nobody)
    const wrong = inHeader({ ...registryUser, password: 'wrong' })
    expect((await look(name, { 'x-registry-auth': wrong })).status).toBe(401)
  })

  it('refuses names that cannot be', async () => {
    expect(await look('UPPER')).toMatchObject({ status: 400 })
    expect(await look('a'.repeat(64))).toMatchObject({ status: 400 })
  })
})

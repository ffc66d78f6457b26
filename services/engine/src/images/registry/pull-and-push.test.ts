// Against a real registry: what one engine pushes, another one pulls.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainIds } from '../digest.ts'
import { shortId } from './progress.ts'
import { all, forever, linesOf, makeEngine, stepsOf } from './testing/registry-engine.ts'
import { hasRegistry, type RegistryServer, startRegistry } from './testing/registry-server.ts'
import { type Kind, makeImage, makeIndex, nameImage } from './testing/sample-image.ts'

const amd64 = { os: 'linux', architecture: 'amd64' }
const arm64 = { os: 'linux', architecture: 'arm64' }

describe.skipIf(!hasRegistry)('pull and push (package docker-registry)', () => {
  let registry: RegistryServer
  beforeAll(async () => {
    registry = await startRegistry()
  })
  afterAll(() => registry?.stop())

  const pushed = async (path: string, kind: Kind = 'oci', layers: number[] = [3_000, 200_000, 10]) => {
    const engine = await makeEngine()
    const image = await makeImage(engine.blobs, { kind, layers })
    nameImage(engine.blobs, `${registry.host}/${path}:latest`, image.descriptor.digest, image.configDigest)
    const messages = await all(engine.client.push(`${registry.host}/${path}`, { tag: 'latest', signal: forever() }))
    return { ...engine, image, messages }
  }

  it.each(['oci', 'docker'] as const)('pushes an image with a manifest of %s as docker tells it', async (kind) => {
    const { messages, image, blobs } = await pushed(`told/${kind}`, kind)
    expect(messages[0]).toEqual({ status: `The push refers to repository [${registry.host}/told/${kind}]` })
    for (const diffId of image.diffIds) {
      expect(stepsOf(messages, shortId(diffId))).toEqual(['Preparing', 'Pushing', 'Pushed'])
    }
    const { digest, size } = image.descriptor
    expect(messages.at(-2)).toEqual({ status: `latest: digest: ${digest} size: ${size}` })
    expect(messages.at(-1)).toEqual({ progressDetail: {}, aux: { Tag: 'latest', Digest: digest, Size: size } })
    expect(blobs.names.get(`${registry.host}/told/${kind}@${digest}`)?.imageId).toBe(image.configDigest)
  })

  it.each(['oci', 'docker'] as const)('pulls an image with a manifest of %s as docker tells it', async (kind) => {
    const { image } = await pushed(`back/${kind}`, kind)
    const { client, blobs } = await makeEngine()
    const name = `${registry.host}/back/${kind}`
    const messages = await all(client.pull(name, { signal: forever() }))
    expect(messages[0]).toEqual({ status: `Pulling from back/${kind}`, id: 'latest' })
    for (const { digest } of image.layers) {
      const steps = stepsOf(messages, shortId(digest)).filter((step) => step !== 'Waiting')
      expect(steps).toEqual([
        'Pulling fs layer',
        'Downloading',
        'Verifying Checksum',
        'Download complete',
        'Extracting',
        'Pull complete',
      ])
    }
    const full = messages.findLast(
      ({ status, id }) => status === 'Downloading' && id === shortId(image.layers[1]!.digest),
    )
    const size = image.layers[1]!.size
    expect(full?.progressDetail).toEqual({ current: size, total: size })
    expect(full?.progress).toMatch(/^\[={50}>\] +[\d.]+kB\/[\d.]+kB$/)
    expect(linesOf(messages).slice(-2)).toEqual([
      `Digest: ${image.descriptor.digest}`,
      `Status: Downloaded newer image for ${name}:latest`,
    ])
    expect(blobs.names.get(`${name}:latest`)?.target).toBe(image.descriptor.digest)
    expect(blobs.names.has(`${name}@${image.descriptor.digest}`)).toBe(true)
    expect(blobs.files('layers').sort()).toEqual(
      chainIds(image.diffIds)
        .map((id) => id.slice(7))
        .sort(),
    )
    expect(blobs.files('partial')).toEqual([])

    const again = await all(client.pull(name, { signal: forever() }))
    expect(again.map(({ status }) => status)).toEqual([
      `Pulling from back/${kind}`,
      `Digest: ${image.descriptor.digest}`,
      `Status: Image is up to date for ${name}:latest`,
    ])
  })

  it('tells of every image that came and went', async () => {
    const pusher = await pushed('events')
    const name = `${registry.host}/events`
    expect(pusher.told).toEqual([[`push ${name}:latest`, { name }]])
    const { client, told } = await makeEngine()
    await all(client.pull(name, { signal: forever() }))
    expect(told).toEqual([[`pull ${name}:latest`, { name }]])
  })

  it('sends nothing twice, and mounts what another repository has', async () => {
    const { client, blobs, image } = await pushed('origin')
    const again = await all(client.push(`${registry.host}/origin`, { tag: 'latest', signal: forever() }))
    for (const diffId of image.diffIds) {
      expect(stepsOf(again, shortId(diffId))).toEqual(['Preparing', 'Layer already exists'])
    }
    nameImage(blobs, `${registry.host}/copy:v2`, image.descriptor.digest, image.configDigest)
    const copy = await all(client.push(`${registry.host}/copy`, { tag: 'v2', signal: forever() }))
    for (const diffId of image.diffIds) {
      expect(stepsOf(copy, shortId(diffId))).toEqual(['Preparing', 'Mounted from origin'])
    }
    expect(linesOf(copy).at(-1)).toBe(`v2: digest: ${image.descriptor.digest} size: ${image.descriptor.size}`)
  })

  it('pushes every tag when none is named, and pulls them all', async () => {
    const { blobs, client } = await makeEngine()
    for (const tag of ['one', 'two']) {
      const { descriptor, configDigest } = await makeImage(blobs)
      nameImage(blobs, `${registry.host}/many:${tag}`, descriptor.digest, configDigest)
    }
    const told = await all(client.push(`${registry.host}/many`, { signal: forever() }))
    expect(linesOf(told).filter((line) => line.includes(': digest: '))).toHaveLength(2)
    const other = await makeEngine()
    const pulled = await all(other.client.pull(`${registry.host}/many`, { isAll: true, signal: forever() }))
    expect(other.blobs.tags(`${registry.host}/many`).sort()).toEqual(['one', 'two'])
    expect(linesOf(pulled).at(-1)).toBe(`Status: Downloaded newer image for ${registry.host}/many`)
  })

  it('pulls by digest, and lets layers wait for their turn', async () => {
    const { image } = await pushed('deep', 'oci', [10_000, 20_000, 30_000, 40_000, 50_000, 60_000])
    const { client, blobs } = await makeEngine()
    const { digest } = image.descriptor
    const messages = await all(client.pull(`${registry.host}/deep`, { tag: digest, signal: forever() }))
    expect(messages[0]?.id).toBe(digest)
    expect(linesOf(messages).at(-1)).toBe(`Status: Downloaded newer image for ${registry.host}/deep@${digest}`)
    expect([...blobs.names.keys()]).toEqual([`${registry.host}/deep@${digest}`])
    const waited = messages.filter(({ status }) => status === 'Waiting')
    expect(waited.length).toBeGreaterThanOrEqual(3)
  })

  it('lets two pulls of one image share its downloads', async () => {
    const { image } = await pushed('shared', 'oci', [500_000, 500_000])
    const { client, blobs } = await makeEngine()
    const name = `${registry.host}/shared`
    const both = await Promise.all([1, 2].map(() => all(client.pull(name, { signal: forever() }))))
    expect(both.flat().some(({ error }) => error !== undefined)).toBe(false)
    for (const { digest } of image.layers) {
      const loads = both.filter((messages) => stepsOf(messages, shortId(digest)).includes('Downloading'))
      expect(loads).toHaveLength(1)
    }
    expect(blobs.files('layers')).toHaveLength(2)
  })

  describe('with several platforms', () => {
    const index = async (path: string) => {
      const { client, blobs } = await makeEngine()
      const images = [
        await makeImage(blobs, { platform: amd64 }),
        await makeImage(blobs, { platform: arm64 }),
        await makeImage(blobs, { platform: { os: 'linux', architecture: 'arm', variant: 'v7' } }),
      ]
      const digest = await makeIndex(blobs, images)
      nameImage(blobs, `${registry.host}/${path}:latest`, digest, images[1]!.configDigest)
      return { client, blobs, images, digest, name: `${registry.host}/${path}` }
    }

    it('pushes an index whole', async () => {
      const { client, name, digest, images } = await index('wide')
      const messages = await all(client.push(name, { tag: 'latest', signal: forever() }))
      expect(linesOf(messages).at(-1)).toContain(`latest: digest: ${digest}`)
      const seen = await client.distribution(name, { signal: forever() })
      expect(seen.Descriptor.digest).toBe(digest)
      expect(seen.Platforms).toEqual(images.map(({ descriptor: { platform } }) => platform))
    })

    it('pulls the image of the platform that is asked for', async () => {
      const { client, name, digest, images } = await index('chosen')
      await all(client.push(name, { tag: 'latest', signal: forever() }))
      const wishes = [
        [undefined, 1],
        [amd64, 0],
        [{ os: 'linux', architecture: 'arm', variant: 'v7' }, 2],
        [{ os: 'linux', architecture: 'aarch64' }, 1],
      ] as const
      for (const [platform, which] of wishes) {
        const { client: other, blobs } = await makeEngine()
        const messages = await all(other.pull(name, { ...(platform && { platform }), signal: forever() }))
        expect(linesOf(messages)).toContain(`Digest: ${digest}`)
        expect(blobs.names.get(`${name}:latest`)).toEqual({ target: digest, imageId: images[which]!.configDigest })
        expect(blobs.files('layers')).toHaveLength(1)
      }
    })

    it('says which platform is not there, before anything else', async () => {
      const { client, name } = await index('narrow')
      await all(client.push(name, { tag: 'latest', signal: forever() }))
      const platform = { os: 'linux', architecture: 's390x' }
      await expect(all(client.pull(name, { platform, signal: forever() }))).rejects.toMatchObject({
        status: 404,
        message: 'no matching manifest for linux/s390x in the manifest list entries',
      })
    })

    it('pushes one platform of an image that has several', async () => {
      const { client, name, images } = await index('one-of')
      const messages = await all(client.push(name, { tag: 'latest', platform: amd64, signal: forever() }))
      const { digest, size } = images[0]!.descriptor
      expect(messages.at(-1)?.aux).toEqual({ Tag: 'latest', Digest: digest, Size: size })
      const seen = await client.distribution(name, { signal: forever() })
      expect(seen).toMatchObject({ Descriptor: { digest }, Platforms: [amd64] })
      const layers = images.slice(1).flatMap((image) => image.diffIds)
      for (const diffId of layers) expect(stepsOf(messages, shortId(diffId))).toEqual([])
      const missing = { os: 'linux', architecture: 'riscv64' }
      await expect(
        all(client.push(name, { tag: 'latest', platform: missing, signal: forever() })),
      ).rejects.toMatchObject({
        status: 404,
        message: `image with reference ${name}:latest was found but does not provide the specified platform (linux/riscv64)`,
      })
    })

    it('pushes the one platform that is here of an index, and says so', async () => {
      const { client, name, digest, images } = await index('pulled')
      await all(client.push(name, { tag: 'latest', signal: forever() }))
      const other = await makeEngine()
      await all(other.client.pull(name, { signal: forever() }))
      const { imageId } = other.blobs.names.get(`${name}:latest`)!
      nameImage(other.blobs, `${registry.host}/alone:latest`, digest, imageId)
      const messages = await all(other.client.push(`${registry.host}/alone`, { tag: 'latest', signal: forever() }))
      expect(messages.at(-1)?.aux).toEqual({
        manifestPushedInsteadOfIndex: true,
        originalIndex: { digest },
        selectedManifest: { digest: images[1]!.descriptor.digest },
      })
    })
  })

  it('warns when the only image is of another platform', async () => {
    await pushed('single')
    const { client } = await makeEngine()
    const messages = await all(client.pull(`${registry.host}/single`, { platform: amd64, signal: forever() }))
    expect(linesOf(messages)[0]).toBe(
      `WARNING: image with reference ${registry.host}/single:latest was found but does not match the specified platform: wanted linux/amd64, actual: linux/arm64`,
    )
  })

  it('says what is not there', async () => {
    const { client } = await makeEngine()
    const name = `${registry.host}/nothing`
    await expect(all(client.pull(name, { signal: forever() }))).rejects.toMatchObject({
      status: 404,
      message: `manifest for ${name}:latest not found: manifest unknown: manifest unknown`,
    })
    await expect(all(client.pull(name, { isAll: true, signal: forever() }))).rejects.toMatchObject({
      status: 404,
      message: `repository ${name} not found: name unknown: repository name not known to registry`,
    })
    await expect(all(client.push(name, { tag: 'x', signal: forever() }))).rejects.toMatchObject({
      status: 404,
      message: `An image does not exist locally with the tag: ${name}:x`,
    })
    await expect(all(client.push(name, { signal: forever() }))).rejects.toMatchObject({ status: 404 })
    await expect(client.distribution(name, { signal: forever() })).rejects.toMatchObject({
      status: 404,
      message: 'manifest unknown: manifest unknown',
    })
  })
})

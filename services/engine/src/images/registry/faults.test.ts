// Connections that break, registries that lie, hang or never end: a clear error, and nothing left behind.
import { readFile, stat, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Patience } from './settings.ts'
import { type FaultyProxy, startFaultyProxy } from './testing/faulty-proxy.ts'
import { all, forever, makeEngine, quick } from './testing/registry-engine.ts'
import { hasRegistry, type RegistryServer, startRegistry } from './testing/registry-server.ts'
import { makeImage, nameImage } from './testing/sample-image.ts'

const mebibyte = 1024 ** 2

/** Nothing is answered: the connection breaks when so much has come. */
const cutAfter = (bytes: number) => (response: ServerResponse) => {
  let received = 0
  response.req.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received >= bytes) response.req.socket.destroy()
  })
}

describe.skipIf(!hasRegistry)('registries that misbehave (package docker-registry)', () => {
  let registry: RegistryServer
  let proxy: FaultyProxy
  beforeAll(async () => {
    registry = await startRegistry()
    proxy = await startFaultyProxy(registry.host)
  })
  afterEach(() => {
    proxy.fault = () => undefined
    proxy.asked = []
  })
  afterAll(async () => {
    await proxy?.stop()
    await registry?.stop()
  })

  /** Pushed past the proxy; `name` leads through it. */
  const prepared = async (path: string, layers = [mebibyte], patience: Partial<Patience> = {}) => {
    const maker = await makeEngine()
    const image = await makeImage(maker.blobs, { layers })
    nameImage(maker.blobs, `${registry.host}/${path}:latest`, image.descriptor.digest, image.configDigest)
    await all(maker.client.push(`${registry.host}/${path}`, { tag: 'latest', signal: forever() }))
    return { image, layer: image.layers[0]!, name: `${proxy.host}/${path}`, ...(await makeEngine({ patience })) }
  }
  const isLayer = (url: string | undefined, digest: string): boolean => url?.endsWith(`/blobs/${digest}`) ?? false
  const failureOf = async (work: Promise<{ error?: string }[]>): Promise<string> => (await work).at(-1)?.error ?? ''

  it('goes on with a download where the connection broke', async () => {
    const { client, name, layer, blobs } = await prepared('broken')
    proxy.fault = ({ url }) => (isLayer(url, layer.digest) ? { cutAnswerAfter: 300_000 } : undefined)
    const messages = await all(client.pull(name, { signal: forever() }))
    expect(messages.at(-1)?.status).toBe(`Status: Downloaded newer image for ${name}:latest`)
    const asked = proxy.asked.filter((line) => line.includes(layer.digest))
    expect(asked.length).toBeGreaterThanOrEqual(4)
    const starts = asked.slice(1).map((line) => Number(/bytes=(\d+)-$/.exec(line)?.[1]))
    expect(starts).toEqual([...starts].sort((a, b) => a - b))
    expect(starts[0]).toBeGreaterThan(100_000)
    expect(messages.some(({ status }) => status === 'Retrying in 1 second')).toBe(true)
    expect(blobs.files('partial')).toEqual([])
  })

  it('goes on in a later pull with what an earlier one has got', async () => {
    const { client, name, layer, blobs } = await prepared('later')
    let cuts = 0
    proxy.fault = ({ url }) => (isLayer(url, layer.digest) ? { cutAnswerAfter: cuts++ === 0 ? 400_000 : 0 } : undefined)
    expect(await failureOf(all(client.pull(name, { signal: forever() })))).toMatch(
      /^download of sha256:\w+ stopped after \d+ of \d+ bytes: /,
    )
    expect((await stat(blobs.partialFile(layer.digest))).size).toBeGreaterThan(100_000)
    expect(blobs.names.size).toBe(0)
    expect(blobs.open).toBe(0)
    proxy.fault = () => undefined
    proxy.asked = []
    await all(client.pull(name, { signal: forever() }))
    expect(proxy.asked.find((line) => line.includes(layer.digest))).toMatch(/bytes=\d{6}-$/)
    expect(blobs.names.has(`${name}:latest`)).toBe(true)
  })

  it('begins anew when what is there is longer than the layer', async () => {
    const { client, name, layer, blobs } = await prepared('longer', [1_000])
    await writeFile(blobs.partialFile(layer.digest), Buffer.alloc(100_000))
    const messages = await all(client.pull(name, { signal: forever() }))
    expect(messages.at(-1)?.error).toBeUndefined()
  })

  it('refuses a layer whose digest is another, and keeps nothing of it', async () => {
    const { client, name, layer, blobs } = await prepared('spoilt', [50_000])
    const spoil = (chunk: Buffer): Buffer => {
      chunk[chunk.length - 20] = chunk[chunk.length - 20]! ^ 1
      return chunk
    }
    proxy.fault = ({ url }) => (isLayer(url, layer.digest) ? { change: spoil } : undefined)
    expect(await failureOf(all(client.pull(name, { signal: forever() })))).toMatch(/digest mismatch/)
    expect(blobs.files('partial')).toEqual([])
    expect(blobs.files('layers')).toEqual([])
    expect(blobs.names.size).toBe(0)
  })

  it('refuses manifests and configurations that are not what their digest says', async () => {
    const { client, name, image, blobs } = await prepared('forged')
    const longer = (chunk: Buffer): Buffer => Buffer.concat([chunk, Buffer.from(' ')])
    proxy.fault = ({ url }) => (isLayer(url, image.configDigest) ? { change: longer } : undefined)
    expect(await failureOf(all(client.pull(name, { signal: forever() })))).toMatch(/^image config verification failed/)
    proxy.fault = ({ url }) => (url?.includes('/manifests/') ? { change: longer } : undefined)
    const byDigest = all(client.pull(name, { tag: image.descriptor.digest, signal: forever() }))
    await expect(byDigest).rejects.toMatchObject({ status: 500 })
    await expect(byDigest).rejects.toThrow(/^manifest verification failed for digest/)
    expect(blobs.names.size).toBe(0)
  })

  it('stops reading a layer that does not end', async () => {
    const { client, name, layer, blobs } = await prepared('endless', [1_000])
    let sent = 0
    const endless = (response: ServerResponse): void => {
      const more = (): void => {
        sent += 65_536
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more))
      }
      response.writeHead(200)
      more()
    }
    proxy.fault = ({ url }) => (isLayer(url, layer.digest) ? { answer: endless } : undefined)
    expect(await failureOf(all(client.pull(name, { signal: forever() })))).toMatch(/^the registry sends more than/)
    expect(sent).toBeLessThan(100 * mebibyte)
    expect(blobs.files('partial')).toEqual([])
  })

  it('stops reading a manifest that does not end', async () => {
    const { client, name } = await prepared('chatty')
    const endless = (response: ServerResponse): void => {
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536, ' '), () => setImmediate(more))
      }
      more()
    }
    proxy.fault = ({ url }) => (url?.includes('/manifests/') ? { answer: endless } : undefined)
    await expect(all(client.pull(name, { signal: forever() }))).rejects.toThrow(/is longer than the 4194304 bytes/)
  })

  it('does not wait for ever: not for an answer, not for the rest of one', async () => {
    const patience = { ...quick, idleMs: 500, smallAnswerMs: 1_500 }
    const { client, name, layer } = await prepared('silent', [1_000], patience)
    proxy.fault = ({ url }) => (url?.includes('/manifests/') ? { answer() {} } : undefined)
    await expect(all(client.pull(name, { signal: forever() }))).rejects.toThrow(/no answer within 0.5 seconds$/)
    const drip = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'application/vnd.oci.image.manifest.v1+json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    }
    proxy.fault = ({ url }) => (url?.includes('/manifests/') ? { answer: drip } : undefined)
    await expect(all(client.pull(name, { signal: forever() }))).rejects.toThrow(/no whole answer within 1.5 seconds$/)
    const half = (response: ServerResponse): void => {
      response.writeHead(200)
      response.write('x')
    }
    proxy.fault = ({ url }) => (isLayer(url, layer.digest) ? { answer: half } : undefined)
    expect(await failureOf(all(client.pull(name, { signal: forever() })))).toMatch(/stopped after \d+ of \d+ bytes: /)
  }, 30_000)

  it('says when a layer is shorter than its manifest says', async () => {
    const { client, name, layer } = await prepared('short')
    const short = (response: ServerResponse): void => void response.end(Buffer.alloc(100))
    proxy.fault = ({ url }) => (isLayer(url, layer.digest) ? { answer: short } : undefined)
    expect(await failureOf(all(client.pull(name, { signal: forever() })))).toMatch(
      /^layer verification failed: the registry has 100 bytes of sha256:\w+, its manifest says \d+$/,
    )
  })

  it('refuses what is no image', async () => {
    const { client, name } = await prepared('odd')
    const config = {
      mediaType: 'application/vnd.cncf.helm.config.v1+json',
      digest: `sha256:${'0'.repeat(64)}`,
      size: 2,
    }
    const oci = 'application/vnd.oci.image.manifest.v1+json'
    const answers: [type: string, body: unknown, status: number, message: RegExp][] = [
      ['text/html', {}, 400, /^unsupported manifest media type "text\/html"$/],
      ['application/vnd.docker.distribution.manifest.v1+prettyjws', { schemaVersion: 1 }, 400, /schema 1/],
      [oci, { schemaVersion: 2, mediaType: oci, config, layers: [] }, 400, /^this is no image: its configuration is/],
      [oci, { schemaVersion: 2, mediaType: oci, config: 5, layers: [] }, 500, /makes no sense/],
      [oci, '{', 500, /makes no sense/],
      [
        oci,
        {
          schemaVersion: 2,
          config: { ...config, mediaType: 'application/vnd.oci.image.config.v1+json' },
          layers: [{ ...config, mediaType: 'text/plain' }],
        },
        400,
        /^unsupported layer media type "text\/plain"$/,
      ],
      [
        oci,
        { schemaVersion: 2, config, layers: [{ ...config, digest: 'sha256:../../../../etc/passwd' }] },
        500,
        /makes no sense/,
      ],
    ]
    for (const [type, body, status, message] of answers) {
      const answer = (response: ServerResponse): void => {
        response.writeHead(200, { 'content-type': type })
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      }
      proxy.fault = ({ url }) => (url?.includes('/manifests/') ? { answer } : undefined)
      const pulled = all(client.pull(name, { signal: forever() }))
      await expect(pulled).rejects.toMatchObject({ status })
      await expect(pulled).rejects.toThrow(message)
    }
  })

  it('tries again when a registry is busy, and says so when it stays so', async () => {
    const { client, name } = await prepared('busy')
    let asked = 0
    const busy = (response: ServerResponse): void => {
      response.statusCode = 503
      response.end()
    }
    proxy.fault = ({ url }) => (url?.includes('/manifests/') && asked++ < 2 ? { answer: busy } : undefined)
    const messages = await all(client.pull(name, { signal: forever() }))
    expect(messages.at(-1)?.error).toBeUndefined()
    proxy.fault = ({ url }) => (url?.includes('/manifests/') ? { answer: busy } : undefined)
    await expect(all(client.pull(name, { signal: forever() }))).rejects.toMatchObject({
      status: 500,
      message: 'received unexpected HTTP status: 503 Service Unavailable',
    })
  })

  it('says that nobody answers', async () => {
    const { client } = await makeEngine()
    const pulled = all(client.pull('127.0.0.1:1/x', { signal: forever() }))
    const message = 'Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused'
    await expect(pulled).rejects.toMatchObject({ status: 500, message })
  })

  it('stops at once when the caller of a pull goes away', async () => {
    const { client, name, layer, blobs } = await prepared('left')
    const gone = new AbortController()
    let isCut = false
    const slow = (response: ServerResponse): void => {
      response.writeHead(200)
      response.write('x', () => gone.abort())
      response.on('close', () => {
        isCut = true
      })
    }
    proxy.fault = ({ url }) => (isLayer(url, layer.digest) ? { answer: slow } : undefined)
    await expect(all(client.pull(name, { signal: gone.signal }))).rejects.toMatchObject({ name: 'AbortError' })
    for (let tries = 0; !isCut && tries < 100; tries++) await sleep(10)
    expect(isCut).toBe(true)
    expect(blobs.open).toBe(0)
    expect(blobs.names.size).toBe(0)
  })

  it('stops when nobody reads the messages any more', async () => {
    const { client, name, blobs } = await prepared('unread')
    for await (const { status } of client.pull(name, { signal: forever() })) {
      if (status === 'Pulling fs layer') break
    }
    expect(blobs.open).toBe(0)
    expect(blobs.names.size).toBe(0)
  })

  it('never downloads more than three layers at once', async () => {
    const { client, name, image } = await prepared('many', Array(9).fill(2_000))
    let running = 0
    let most = 0
    proxy.fault = ({ url, socket }) => {
      if (!image.layers.some(({ digest }) => isLayer(url, digest))) return undefined
      most = Math.max(most, ++running)
      const answer = async (response: ServerResponse): Promise<void> => {
        await sleep(30)
        const bytes = await fetch(`http://${registry.host}${url}`).then((got) => got.arrayBuffer())
        running--
        response.end(Buffer.from(bytes))
      }
      void socket
      return { answer }
    }
    await all(client.pull(name, { signal: forever() }))
    expect(most).toBe(3)
  })

  describe('on the way up', () => {
    const toPush = async (path: string, layers: number[]) => {
      const engine = await makeEngine()
      const image = await makeImage(engine.blobs, { layers })
      nameImage(engine.blobs, `${proxy.host}/${path}:latest`, image.descriptor.digest, image.configDigest)
      return { ...engine, image, name: `${proxy.host}/${path}` }
    }

    it('sends a layer again when the connection broke', async () => {
      const { client, name, image } = await toPush('up/broken', [3 * mebibyte])
      let cuts = 0
      proxy.fault = ({ method }) => (method === 'PATCH' && cuts++ < 2 ? { cutRequestAfter: mebibyte } : undefined)
      const messages = await all(client.push(name, { tag: 'latest', signal: forever() }))
      expect(messages.at(-1)?.aux).toMatchObject({ Digest: image.descriptor.digest })
      expect(cuts).toBe(3)
      const other = await makeEngine()
      const pulled = await all(other.client.pull(name, { signal: forever() }))
      expect(pulled.at(-1)?.error).toBeUndefined()
      const [layer] = image.layers
      const there = await readFile(`${other.blobs.folder}/blobs/${layer!.digest.slice(7)}`)
      expect(there.length).toBe(layer!.size)
    })

    it('goes on with an upload where a registry that can says it stopped', async () => {
      const { client, name, image } = await toPush('up/resumed', [3 * mebibyte])
      const [layer] = image.layers
      const got: string[] = []
      let cuts = 0
      proxy.fault = ({ method, url, headers }) => {
        if (url?.includes('/blobs/uploads/kept')) {
          got.push([method, headers['content-range'], headers['content-length']].filter(Boolean).join(' '))
          if (method === 'PATCH' && cuts++ === 0) return { answer: cutAfter(mebibyte) }
          return {
            answer(response) {
              const isStatus = method === 'GET'
              response.writeHead(isStatus ? 204 : method === 'PUT' ? 201 : 202, {
                location: url,
                ...(isStatus && { range: `0-${mebibyte - 1}` }),
              })
              response.req.resume().on('end', () => response.end())
            },
          }
        }
        if (method !== 'POST') return undefined
        return {
          answer(response) {
            response.writeHead(202, { location: '/v2/up/resumed/blobs/uploads/kept' })
            response.end()
          },
        }
      }
      const messages = await all(client.push(name, { tag: 'latest', signal: forever() }))
      // That registry kept nothing, so the manifest is refused in the end; what matters is how the layer went.
      expect(messages.at(-1)?.error).toBeDefined()
      expect(got.slice(0, 4)).toEqual([
        `PATCH ${layer!.size}`,
        'GET',
        `PATCH ${mebibyte}-${layer!.size - 1} ${layer!.size - mebibyte}`,
        'PUT 0',
      ])
    })

    it('stops at once when the caller of a push goes away', async () => {
      const { client, name } = await toPush('up/left', [3 * mebibyte])
      const gone = new AbortController()
      proxy.fault = ({ method }) => {
        if (method !== 'PATCH') return undefined
        gone.abort()
        return { answer() {} }
      }
      await expect(all(client.push(name, { tag: 'latest', signal: gone.signal }))).rejects.toMatchObject({
        name: 'AbortError',
      })
      await expect(client.distribution(name, { signal: forever() })).rejects.toMatchObject({ status: 404 })
    })
  })
})

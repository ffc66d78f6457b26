// Registries that want to know who asks: passwords, tokens, identity tokens; and mirrors and certificates.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { selfSignedCertificate } from '@atoll/kernel/http/server/self-signed'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RegistryAuth } from '../image-registry.ts'
import { shortId } from './progress.ts'
import { startFaultyProxy } from './testing/faulty-proxy.ts'
import { all, forever, linesOf, makeEngine, stepsOf } from './testing/registry-engine.ts'
import { hasRegistry, type RegistryServer, registryUser, startRegistry } from './testing/registry-server.ts'
import { makeImage, nameImage } from './testing/sample-image.ts'
import { identityToken, startTokenServer, type TokenServer } from './testing/token-server.ts'

const wrong = { username: 'lotte', password: 'wrong' }

/** An engine with an image that is named after the registry. */
async function withImage(host: string, path: string) {
  const engine = await makeEngine()
  const image = await makeImage(engine.blobs)
  nameImage(engine.blobs, `${host}/${path}:latest`, image.descriptor.digest, image.configDigest)
  const push = (auth?: RegistryAuth) =>
    all(engine.client.push(`${host}/${path}`, { tag: 'latest', ...(auth && { auth }), signal: forever() }))
  return { ...engine, image, name: `${host}/${path}`, push }
}

describe.skipIf(!hasRegistry)('a registry with passwords (package docker-registry)', () => {
  let registry: RegistryServer
  beforeAll(async () => {
    registry = await startRegistry({ basicAuth: true })
  })
  afterAll(() => registry?.stop())

  it('is pushed to and pulled from with the right one', async () => {
    const { push, name, image } = await withImage(registry.host, 'private')
    expect((await push(registryUser)).at(-1)?.aux).toMatchObject({ Digest: image.descriptor.digest })
    const { client } = await makeEngine()
    const messages = await all(client.pull(name, { auth: registryUser, signal: forever() }))
    expect(linesOf(messages).at(-1)).toBe(`Status: Downloaded newer image for ${name}:latest`)
  })

  it('refuses whoever has none, or a wrong one', async () => {
    const { push, name, client } = await withImage(registry.host, 'closed')
    expect((await push()).at(-1)).toEqual({
      errorDetail: { message: 'no basic auth credentials' },
      error: 'no basic auth credentials',
    })
    expect((await push(wrong)).at(-1)?.error).toBe('unauthorized: authentication required')
    await expect(all(client.pull(name, { signal: forever() }))).rejects.toMatchObject({
      status: 401,
      message: 'no basic auth credentials',
    })
    await expect(all(client.pull(name, { auth: wrong, signal: forever() }))).rejects.toMatchObject({
      status: 401,
      message: 'unauthorized: authentication required',
    })
    await expect(client.distribution(name, { auth: wrong, signal: forever() })).rejects.toMatchObject({ status: 401 })
  })

  it('is logged in to', async () => {
    const { client } = await makeEngine()
    const serveraddress = `http://${registry.host}/v1/`
    expect(await client.logIn({ ...registryUser, serveraddress }, forever())).toEqual({ identityToken: undefined })
    await expect(client.logIn({ ...wrong, serveraddress: registry.host }, forever())).rejects.toMatchObject({
      status: 401,
      message: `login attempt to http://${registry.host}/v2/ failed with status: 401 Unauthorized`,
    })
    await expect(client.logIn({ ...wrong, serveraddress: '127.0.0.1:1' }, forever())).rejects.toMatchObject({
      status: 500,
    })
  })
})

describe.skipIf(!hasRegistry)('a registry with tokens (package docker-registry)', () => {
  let registry: RegistryServer
  let tokens: TokenServer
  beforeAll(async () => {
    tokens = await startTokenServer(await tempDir())
    registry = await startRegistry({ tokens })
  })
  afterAll(async () => {
    await registry?.stop()
    await tokens?.stop()
  })

  it('is asked with a token for just what is done', async () => {
    const { push, name, image } = await withImage(registry.host, 'team/app')
    expect((await push(registryUser)).at(-1)?.aux).toMatchObject({ Digest: image.descriptor.digest })
    expect(tokens.asked.at(-1)?.parameters.get('scope')).toBe('repository:team/app:pull,push')
    expect(tokens.asked.at(-1)?.parameters.get('account')).toBe('lotte')
    const before = tokens.asked.length
    const { client } = await makeEngine()
    const messages = await all(client.pull(name, { auth: registryUser, signal: forever() }))
    expect(linesOf(messages).at(-1)).toContain('Downloaded newer image')
    expect(tokens.asked.slice(before).map(({ parameters }) => parameters.getAll('scope'))).toEqual([
      ['repository:team/app:pull'],
    ])
  })

  it('lets guests pull what is public, and nothing else', async () => {
    for (const path of ['public/app', 'secret/app']) await (await withImage(registry.host, path)).push(registryUser)
    const { client } = await makeEngine()
    const open = await all(client.pull(`${registry.host}/public/app`, { signal: forever() }))
    expect(open.at(-1)?.error).toBeUndefined()
    const name = `${registry.host}/secret/app`
    await expect(all(client.pull(name, { signal: forever() }))).rejects.toMatchObject({
      status: 404,
      message: `pull access denied for ${name}, repository does not exist or may require 'docker login': denied: requested access to the resource is denied`,
    })
    const { push } = await withImage(registry.host, 'forbidden/app')
    expect((await push(registryUser)).at(-1)?.error).toBe('denied: requested access to the resource is denied')
  })

  it('says that a password is wrong', async () => {
    const { client } = await makeEngine()
    const name = `${registry.host}/team/app`
    await expect(all(client.pull(name, { auth: wrong, signal: forever() }))).rejects.toMatchObject({
      status: 401,
      message: 'unauthorized: incorrect username or password',
    })
    await expect(client.logIn({ ...wrong, serveraddress: registry.host }, forever())).rejects.toMatchObject({
      status: 401,
      message: 'unauthorized: incorrect username or password',
    })
  })

  it('gives an identity token at login, which then stands for the password', async () => {
    const { client } = await makeEngine()
    const login = await client.logIn({ ...registryUser, serveraddress: registry.host }, forever())
    expect(login).toEqual({ identityToken })
    expect(tokens.asked.at(-1)?.parameters.get('offline_token')).toBe('true')
    const { push, image } = await withImage(registry.host, 'team/by-identity')
    const auth = { username: '<token>', identitytoken: identityToken }
    expect((await push(auth)).at(-1)?.aux).toMatchObject({ Digest: image.descriptor.digest })
    const last = tokens.asked.at(-1)
    expect(last?.method).toBe('POST')
    expect(last?.parameters.get('grant_type')).toBe('refresh_token')
    expect((await push({ identitytoken: 'stolen' })).at(-1)?.error).toBe('unauthorized: incorrect username or password')
  })

  it('takes a token that the caller has already', async () => {
    const { push, image } = await withImage(registry.host, 'team/by-token')
    const asked = tokens.asked.length
    const registrytoken = tokens.token(['repository:team/by-token:pull,push'])
    expect((await push({ registrytoken })).at(-1)?.aux).toMatchObject({ Digest: image.descriptor.digest })
    expect(tokens.asked.length).toBe(asked)
    expect((await push({ registrytoken: 'nonsense' })).at(-1)?.error).toMatch(/^unauthorized: /)
  })

  it('asks for the right to read where it mounts from', async () => {
    const { push, blobs, client, image } = await withImage(registry.host, 'team/first')
    await push(registryUser)
    nameImage(blobs, `${registry.host}/team/second:latest`, image.descriptor.digest, image.configDigest)
    const options = { tag: 'latest', auth: registryUser, signal: forever() }
    const messages = await all(client.push(`${registry.host}/team/second`, options))
    expect(stepsOf(messages, shortId(image.diffIds[0]!))).toEqual(['Preparing', 'Mounted from team/first'])
    expect(
      tokens.asked.some(({ parameters }) => parameters.getAll('scope').includes('repository:team/first:pull')),
    ).toBe(true)
  })
})

/** Whatever is not on this machine is asked for there, and refused: no test leaves it. */
async function startDeadEnd() {
  const asked: unknown[] = []
  const server = createServer().on('connect', ({ url }, socket: Socket) => {
    asked.push(url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const before = { ...process.env }
  const address = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']) process.env[name] = address
  for (const name of ['no_proxy', 'NO_PROXY']) delete process.env[name]
  const stop = (): void => {
    process.env = before
    server.closeAllConnections()
    server.close()
  }
  return { asked, stop }
}

describe.skipIf(!hasRegistry)('where registries are (package docker-registry)', () => {
  it('reaches one on loopback with a certificate nobody knows', async () => {
    const { cert, key } = await selfSignedCertificate(await tempDir())
    const registry = await startRegistry({ tls: { cert, key } })
    try {
      const { push, image } = await withImage(registry.host, 'encrypted')
      expect((await push()).at(-1)?.aux).toMatchObject({ Digest: image.descriptor.digest })
    } finally {
      await registry.stop()
    }
  })

  it('pulls from mirrors of the default registry, past those that do not answer, and never shows them passwords', async () => {
    const deadEnd = await startDeadEnd()
    const registry = await startRegistry()
    const proxy = await startFaultyProxy(registry.host)
    try {
      const { push, image } = await withImage(registry.host, 'library/tiny')
      await push()
      const shown: unknown[] = []
      proxy.fault = ({ headers }) => {
        shown.push(headers.authorization)
        return undefined
      }
      const settings = { mirrors: ['http://127.0.0.1:1/', `http://${proxy.host}`] }
      const { client, blobs } = await makeEngine({ settings })
      const messages = await all(client.pull('tiny', { auth: registryUser, signal: forever() }))
      expect(messages[0]).toEqual({ status: 'Pulling from library/tiny', id: 'latest' })
      expect(linesOf(messages).at(-1)).toBe('Status: Downloaded newer image for tiny:latest')
      expect(blobs.names.get('docker.io/library/tiny:latest')?.target).toBe(image.descriptor.digest)
      expect(shown.length).toBeGreaterThan(2)
      expect(shown.every((header) => header === undefined)).toBe(true)
      expect(deadEnd.asked).toEqual([])
      await expect(all(client.pull('missing', { signal: forever() }))).rejects.toMatchObject({ status: 500 })
      expect(deadEnd.asked).toEqual(['registry-1.docker.io:443'])
    } finally {
      deadEnd.stop()
      await proxy.stop()
      await registry.stop()
    }
  })
})

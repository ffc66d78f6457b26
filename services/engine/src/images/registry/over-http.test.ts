// From an engine into a registry and back, over HTTP and with the docker client, with the real store.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostPlatform } from '../platform.ts'
import { type FaultyProxy, startFaultyProxy } from './testing/faulty-proxy.ts'
import { type ImageApi, startImageApi } from './testing/image-api.ts'
import { inHeader } from './testing/registry-api.ts'
import { hasRegistry, type RegistryServer, registryUser, startRegistry } from './testing/registry-server.ts'
import { tarOf } from './testing/sample-image.ts'

const run = promisify(execFile)
const hasDocker = existsSync('/usr/bin/docker') || existsSync('/usr/local/bin/docker')
const isRoot = process.getuid?.() === 0

describe.skipIf(!hasRegistry || !isRoot)('images over HTTP (package docker-registry, and root)', () => {
  let registry: RegistryServer
  let proxy: FaultyProxy
  let here: ImageApi
  let there: ImageApi
  beforeAll(async () => {
    registry = await startRegistry({ basicAuth: true })
    proxy = await startFaultyProxy(registry.host)
    here = await startImageApi()
    there = await startImageApi()
  })
  afterAll(async () => {
    await here?.stop()
    await there?.stop()
    await proxy?.stop()
    await registry?.stop()
  })

  const headers = { 'x-registry-auth': inHeader(registryUser) }
  const ask = async (api: ImageApi, method: string, path: string, options: RequestInit = {}) => {
    const response = await fetch(`${api.url}/v1.47${path}`, { method, headers, ...options })
    const text = await response.text()
    const lines = text.split('\r\n').filter(Boolean)
    return { status: response.status, text, lines: response.ok ? lines.map((line) => JSON.parse(line)) : [] }
  }
  const importInto = (api: ImageApi, name: string, size = 1_000) =>
    ask(api, 'POST', `/images/create?fromSrc=-&repo=${name}`, {
      body: new Uint8Array(tarOf('file', randomBytes(size))),
    })

  it('pushes an image and pulls it elsewhere, and both know its digest', async () => {
    const name = `${registry.host}/over/http`
    expect((await importInto(here, name)).status).toBe(200)
    const pushed = await ask(here, 'POST', `/images/${name}/push?tag=latest`)
    const { Digest } = pushed.lines.at(-1).aux
    expect(pushed.lines.at(-1).aux).toMatchObject({ Tag: 'latest' })
    const pulled = await ask(there, 'POST', `/images/create?fromImage=${name}&tag=latest`)
    expect(pulled.lines.at(-1)).toEqual({ status: `Status: Downloaded newer image for ${name}:latest` })
    for (const api of [here, there]) {
      const seen = JSON.parse((await ask(api, 'GET', `/images/${name}:latest/json`)).text)
      expect(seen.RepoDigests).toEqual([`${name}@${Digest}`])
      expect(seen.RepoTags).toEqual([`${name}:latest`])
      const [listed] = JSON.parse((await ask(api, 'GET', '/images/json')).text)
      expect(listed.RepoDigests).toEqual([`${name}@${Digest}`])
    }
    const again = await ask(there, 'POST', `/images/create?fromImage=${name}&tag=latest`)
    expect(again.lines).toEqual([
      { status: 'Pulling from over/http', id: 'latest' },
      { status: `Digest: ${Digest}` },
      { status: `Status: Image is up to date for ${name}:latest` },
    ])
  })

  it('tells how far the unpacking of a pulled layer is', async () => {
    const name = `${registry.host}/over/progress`
    await importInto(here, name, 12_000_000)
    await ask(here, 'POST', `/images/${name}/push?tag=latest`)
    const { lines } = await ask(there, 'POST', `/images/create?fromImage=${name}&tag=latest`)
    const told: { current: number; total: number }[] = lines
      .filter(({ status }) => status === 'Extracting')
      .map(({ progressDetail }) => progressDetail)
    const between = told.filter(({ current, total }) => current > 0 && current < total)
    expect(between.length, JSON.stringify(told)).toBeGreaterThan(0)
    expect(told.at(-1)?.current).toBe(told.at(-1)?.total)
  })

  it('takes the platform of a push as JSON', async () => {
    const name = `${registry.host}/over/platform`
    await importInto(here, name)
    const own = encodeURIComponent(JSON.stringify(hostPlatform))
    const pushed = await ask(here, 'POST', `/images/${name}/push?tag=latest&platform=${own}`)
    expect(pushed.lines.at(-1).aux).toMatchObject({ Tag: 'latest' })
    const other = encodeURIComponent('{"os":"linux","architecture":"riscv64"}')
    const refused = await ask(here, 'POST', `/images/${name}/push?tag=latest&platform=${other}`)
    expect(refused.status).toBe(404)
    expect(refused.text).toContain('does not provide the specified platform (linux/riscv64)')
  })

  it('tells errors with their status before the first line', async () => {
    const name = `${registry.host}/over/nothing`
    const missing = await ask(there, 'POST', `/images/create?fromImage=${name}&tag=latest`)
    expect([missing.status, JSON.parse(missing.text).message]).toEqual([
      404,
      `manifest for ${name}:latest not found: manifest unknown: manifest unknown`,
    ])
    const nobody = await ask(there, 'POST', `/images/create?fromImage=${name}&tag=latest`, { headers: {} })
    expect([nobody.status, JSON.parse(nobody.text).message]).toEqual([401, 'no basic auth credentials'])
    expect((await ask(there, 'POST', `/images/${name}/push?tag=latest`)).status).toBe(404)
  })

  /** Resolves when a request that was never answered has been given up by its sender. */
  const holdUp = (isHeld: (method: string, url: string) => boolean) => {
    const held = Promise.withResolvers<void>()
    const givenUp = Promise.withResolvers<void>()
    proxy.fault = ({ method = '', url = '' }) => {
      if (!isHeld(method, url)) return undefined
      held.resolve()
      return {
        answer(response) {
          response.on('close', () => givenUp.resolve())
          response.req.resume() // who does not read does not notice that the other end is gone
        },
      }
    }
    return { held: held.promise, givenUp: givenUp.promise }
  }

  it('cancels a pull when the connection closes', async () => {
    const path = 'over/cancelled'
    await importInto(here, `${registry.host}/${path}`, 50_000)
    await ask(here, 'POST', `/images/${registry.host}/${path}/push?tag=latest`)
    const name = `${proxy.host}/${path}`
    let isConfigSeen = false
    const { held, givenUp } = holdUp((_, url) => {
      const isLayer = url.includes('/blobs/') && isConfigSeen
      isConfigSeen ||= url.includes('/blobs/')
      return isLayer
    })
    const leaving = new AbortController()
    const pulled = ask(there, 'POST', `/images/create?fromImage=${name}&tag=latest`, { signal: leaving.signal })
    const ended = expect(pulled).rejects.toMatchObject({ name: 'AbortError' })
    await held
    leaving.abort()
    await ended
    await givenUp
    expect((await ask(there, 'GET', `/images/${name}/json`)).status).toBe(404)
  })

  it('cancels a push when the connection closes', async () => {
    const name = `${proxy.host}/over/unsent`
    await importInto(here, name, 3_000_000)
    const { held, givenUp } = holdUp((method) => method === 'PATCH')
    const leaving = new AbortController()
    const pushed = ask(here, 'POST', `/images/${name}/push?tag=latest`, { signal: leaving.signal })
    const ended = expect(pushed).rejects.toMatchObject({ name: 'AbortError' })
    await held
    leaving.abort()
    await ended
    await givenUp
    proxy.fault = () => undefined
    await sleep(50)
    expect((await ask(here, 'GET', `/distribution/${name}/json`)).status).toBe(404)
  })

  describe.skipIf(!hasDocker)('with the docker client (package docker.io)', () => {
    it('logs in, pushes and pulls', async () => {
      const env = { ...process.env, DOCKER_CONFIG: await tempDir() }
      const docker = async (api: ImageApi, ...args: string[]): Promise<string> => {
        const address = api.url.replace('http:', 'tcp:')
        const { stdout, stderr } = await run('docker', ['-H', address, ...args], { env, timeout: 20_000 })
        return stdout + stderr
      }
      const name = `${registry.host}/by/docker`
      await importInto(here, name)
      await expect(docker(here, 'push', name)).rejects.toThrow(/no basic auth credentials/)
      const { username, password } = registryUser
      expect(await docker(here, 'login', '-u', username, '-p', password, registry.host)).toContain('Login Succeeded')
      const pushed = await docker(here, 'push', name)
      expect(pushed).toContain(`The push refers to repository [${name}]`)
      expect(pushed).toMatch(/\n\w{12}: Pushed\nlatest: digest: sha256:\w{64} size: \d+\n/)
      const pulled = await docker(there, 'pull', name)
      expect(pulled).toMatch(
        /^Using default tag: latest\nlatest: Pulling from by\/docker\n\w{12}: Pulling fs layer\n\w{12}: Verifying Checksum\n\w{12}: Download complete\n\w{12}: Pull complete\nDigest: sha256:\w{64}\nStatus: Downloaded newer image for /,
      )
      await expect(docker(there, 'pull', `${name}:other`)).rejects.toThrow(/manifest for .*:other not found/)
      await expect(docker(here, 'login', '-u', username, '-p', 'wrong', registry.host)).rejects.toThrow(
        /failed with status: 401 Unauthorized/,
      )
    })
  })
})

// Registries as a whole engine meets them: on its own machine, with accounts, and one that holds requests up.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { multiPlatform, otherPlatform } from '../../resources/images/testing/multi-platform.ts'
import { tarOf } from '../../resources/images/testing/sample-tars.ts'
import { versions } from '../../testing/by-version.ts'
import type { Calls } from '../../testing/isolated.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { hostPlatform } from '../platform.ts'
import { inHeader } from './testing/registry-api.ts'
import { hasRegistry, registryUser } from './testing/registry-server.ts'
import { identityToken } from './testing/token-server.ts'

type Machine = typeof import('./testing/registry-machine.ts')

const known = [
  { name: 'webserver', description: 'Serves', is_official: true, is_automated: false, star_count: 40 },
  { name: 'team/web', description: null, is_official: false, is_automated: true, star_count: 2 },
]

describe.skipIf(!hasRegistry)('registries (package docker-registry)', () => {
  let engine: WholeEngine
  let machine: Calls<Machine>
  let hosts: Awaited<ReturnType<Machine['start']>>
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync('/tmp/atoll-registry-')
    engine = await startWholeEngine()
    machine = await engine.host.module<Machine>(new URL('./testing/registry-machine.ts', import.meta.url))
    hosts = await machine.start(folder)
    await engine.reload({ registry: { mirrors: [await machine.startIndex(known)] } })
  })
  afterAll(async () => {
    await machine?.stop()
    await engine?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** `leave`: closes the connection when it resolves. */
  function ask(method: string, path: string, auth: object = registryUser, body?: Buffer, leave?: Promise<void>) {
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { 'x-registry-auth': inHeader(auth), ...(body && { 'content-type': 'application/x-tar' }) }
      const sent = request({ method, path, headers, socketPath: engine.socketPath }, (answer) =>
        text(answer).then((told) => resolve({ status: answer.statusCode ?? 0, text: told }), reject),
      )
      sent.on('error', reject)
      leave?.then(() => sent.destroy()).catch(reject)
      sent.end(body)
    })
  }
  const last = ({ text }: { text: string }) => JSON.parse(text.trim().split('\r\n').at(-1) ?? '')
  const makeImage = (name: string, bytes = 1_000) =>
    ask('POST', `/images/create?fromSrc=-&repo=${name}`, {}, tarOf([{ name: 'file', data: randomBytes(bytes) }]))
  const push = (name: string, query = '', auth?: object) => ask('POST', `/images/${name}/push?tag=latest${query}`, auth)
  const inspect = async (name: string) => (await engine.call('GET', `/images/${name}/json`)).body

  it('ENG-414 ENG-415 know an image by its digest, and so does the engine after it was pushed and pulled', async () => {
    const name = `${hosts.withPasswords}/over/http`
    await makeImage(name)
    const { Digest } = last(await push(name)).aux
    const digests = [`${name}@${Digest}`]
    expect((await inspect(name)).RepoDigests).toEqual(digests)
    await engine.call('DELETE', `/images/${name}`)
    expect(last(await ask('POST', `/images/create?fromImage=${name}&tag=latest`)).status).toContain('Downloaded newer')
    expect((await inspect(name)).RepoDigests).toEqual(digests)
    for (const version of versions) {
      const rows = (await engine.call('GET', `/v${version}/images/json`)).body
      const row = rows.find(({ RepoTags }: { RepoTags: string[] }) => RepoTags.includes(`${name}:latest`))
      expect(row.RepoDigests, version).toEqual(digests)
    }
  })

  it('ENG-361 ENG-362 are given one platform of an image that has several, from 1.46 on', async () => {
    const sample = multiPlatform({ isWhole: true })
    expect((await engine.call('POST', '/images/load', sample.tar)).status).toBe(200)
    const name = `${hosts.withPasswords}/over/platforms`
    expect((await engine.call('POST', `/images/many:1/tag?repo=${name}&tag=latest`)).status).toBe(201)
    const own = encodeURIComponent(JSON.stringify(hostPlatform))
    for (const version of ['1.46', '1.47']) {
      const pushed = await ask('POST', `/v${version}/images/${name}/push?tag=latest&platform=${own}`)
      expect(last(pushed).aux).toMatchObject({ Tag: 'latest', Digest: sample.host.digest })
    }
    const seen = await ask('GET', `/distribution/${name}/json`)
    expect(JSON.parse(seen.text)).toMatchObject({
      Descriptor: { digest: sample.host.digest },
      Platforms: [hostPlatform],
    })
    const other = encodeURIComponent('{"os":"linux","architecture":"mips64"}')
    const refused = await push(name, `&platform=${other}`)
    expect([refused.status, refused.text]).toEqual([
      404,
      expect.stringContaining('does not provide the specified platform'),
    ])
    // Before, nobody was asked for a platform: all are pushed.
    const before = await ask('POST', `/v1.45/images/${name}/push?tag=latest&platform=${other}`)
    expect(last(before).aux).toMatchObject({ Tag: 'latest', Digest: sample.index.digest })
  })

  it('ENG-411 ENG-412 are left when the client leaves who pushes or pulls', async () => {
    await makeImage(`${hosts.withPasswords}/over/cancelled`, 50_000)
    await push(`${hosts.withPasswords}/over/cancelled`)
    await engine.call('DELETE', `/images/${hosts.withPasswords}/over/cancelled`)
    const name = `${hosts.proxied}/over/cancelled`
    await machine.holdUp('GET', '/blobs/', 1)
    const pull = ask('POST', `/images/create?fromImage=${name}&tag=latest`, registryUser, undefined, machine.isHeld())
    await expect(pull).rejects.toThrow()
    await machine.isGivenUp()
    expect((await engine.call('GET', `/images/${name}/json`)).status).toBe(404)
    const unsent = `${hosts.proxied}/over/unsent`
    await makeImage(unsent, 3_000_000)
    await machine.holdUp('PATCH', '/blobs/uploads/')
    const pushed = ask('POST', `/images/${unsent}/push?tag=latest`, registryUser, undefined, machine.isHeld())
    await expect(pushed).rejects.toThrow()
    await machine.isGivenUp()
    await machine.letPass()
    expect((await ask('GET', `/distribution/${unsent}/json`)).status).toBe(404)
  })

  it('ENG-717 ENG-718 give an identity token at login from 1.23 on, and take tokens in place of a password', async () => {
    const logIn = (body: object, version = '1.47') => engine.call('POST', `/v${version}/auth`, body)
    const account = { ...registryUser, serveraddress: hosts.withTokens }
    const told = { Status: 'Login Succeeded', IdentityToken: identityToken }
    for (const version of ['1.23', '1.47']) expect(await logIn(account, version)).toEqual({ status: 200, body: told })
    expect(await logIn(account, '1.22')).toEqual({ status: 200, body: { Status: 'Login Succeeded' } })
    const registrytoken = await machine.token([])
    for (const version of ['1.22', '1.47']) {
      expect((await logIn({ serveraddress: hosts.withTokens, registrytoken }, version)).status).toBe(200)
    }
    expect((await logIn({ serveraddress: hosts.withTokens, registrytoken: 'nonsense' })).status).toBe(401)
    const name = `${hosts.withTokens}/team/by-token`
    await makeImage(name)
    expect(last(await push(name, '', { identitytoken: identityToken })).aux).toMatchObject({ Tag: 'latest' })
    const allowed = await machine.token(['repository:team/by-token:pull,push'])
    expect(last(await push(name, '', { registrytoken: allowed })).aux).toMatchObject({ Tag: 'latest' })
    expect(last(await push(name, '', { registrytoken: 'nonsense' })).error).toMatch(/unauthorized/)
  })

  it('ENG-719 ENG-720 tell the descriptor of an image and its platforms, from 1.30 on', async () => {
    const sample = multiPlatform({ isWhole: true })
    await engine.call('POST', '/images/load', sample.tar)
    const name = `${hosts.withPasswords}/over/described`
    await engine.call('POST', `/images/many:1/tag?repo=${name}&tag=latest`)
    for (const [query, { mediaType, digest, size }, platforms] of [
      [`&platform=${encodeURIComponent(JSON.stringify(hostPlatform))}`, sample.host, [hostPlatform]],
      ['', sample.index, [hostPlatform, otherPlatform]],
    ] as const) {
      await push(name, query)
      for (const version of ['1.30', '1.47']) {
        const { status, text: told } = await ask('GET', `/v${version}/distribution/${name}/json`)
        const { Descriptor, Platforms } = JSON.parse(told)
        expect([status, Descriptor]).toEqual([200, expect.objectContaining({ mediaType, digest, size })])
        expect(Platforms).toEqual(expect.arrayContaining([...platforms]))
      }
    }
    expect((await ask('GET', `/v1.29/distribution/${name}/json`)).status).toBe(404)
  })

  it('ENG-375 ENG-376 ENG-377 ENG-378 ENG-404 ENG-405 are searched with filters and a limit, and build nothing by themselves', async () => {
    const filter = (filters: object) => `filters=${encodeURIComponent(JSON.stringify(filters))}`
    const found = async (query: string, version = '1.47') =>
      (await engine.call('GET', `/v${version}/images/search?term=web&${query}`)).body
    const names = async (query: string, version?: string) =>
      (await found(query, version)).map(({ name }: { name: string }) => name)
    const all = known.map(({ name }) => name)
    for (const version of versions) {
      const told = (await found('', version)).map((each: { is_automated: boolean }) => each.is_automated)
      expect([version, told]).toEqual([version, [false, false]])
    }
    for (const version of ['1.24', '1.47']) {
      expect(await names('limit=1', version)).toEqual(['webserver'])
      expect(await names(filter({ 'is-official': ['false'] }), version)).toEqual(['team/web'])
      expect(await names(filter({ 'is-automated': ['false'] }), version)).toEqual(all)
      expect(await names(filter({ 'is-automated': ['true'] }), version)).toEqual([])
    }
    expect(await names(`limit=1&${filter({ 'is-official': ['false'] })}`, '1.23')).toEqual(all)
  })
})

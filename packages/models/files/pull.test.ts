// Pulls from a stand-in of the model hub that behaves well and badly.
import { existsSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeRandomModel } from '../testing/random-gguf.ts'
import { type PullOptions, pull } from './pull.ts'
import { sha256, TestHub } from './testing/hub.ts'

let model: Buffer
let other: Buffer
let hub: TestHub
let folder: string
let options: PullOptions

beforeAll(async () => {
  const scratch = await tempDir()
  const made = (seed: number): Buffer => {
    writeRandomModel(join(scratch, 'm.gguf'), { layers: 2, width: 128, vocabulary: 3_000, seed })
    return readFileSync(join(scratch, 'm.gguf'))
  }
  model = made(1)
  other = made(2)
  expect(other.length).toBe(model.length)
})

beforeEach(async () => {
  hub = await TestHub.start()
  folder = await tempDir()
  options = { folder, hub: hub.url, patience: { firstDelayMs: 5 } }
})

afterEach(() => hub.close())

const installed = (file: string): Buffer => readFileSync(join(folder, file))
const problem = (what: string, more: Partial<PullOptions> = {}): Promise<string> =>
  pull(what, { ...options, ...more }).then(
    () => 'it worked',
    (error: Error) => error.message,
  )

describe('a pull', () => {
  it('follows the hub to its storage, fetches in parts, checks them, and shows the token to the hub alone', async () => {
    const name = hub.add('m-Q8_0.gguf', model)
    const pulled = await pull(name, { ...options, token: 'hf_secret' })
    expect(pulled).toEqual({
      path: join(folder, 'm-Q8_0.gguf'),
      bytes: model.length,
      sha256: sha256(model),
      present: false,
    })
    expect(installed('m-Q8_0.gguf').equals(model)).toBe(true)
    expect(JSON.parse(installed('m-Q8_0.gguf.json').toString())).toMatchObject({
      sha256: sha256(model),
      commit: 'c'.repeat(40),
    })
    expect(readdirSync(folder).sort()).toEqual(['m-Q8_0.gguf', 'm-Q8_0.gguf.json'])
    expect(hub.servedBytes).toBe(model.length + 4)
    const storage = hub.requests.filter(({ host }) => host === 'storage')
    expect(storage.length).toBeGreaterThan(4)
    expect(storage.every(({ authorization }) => authorization === undefined)).toBe(true)
    expect(hub.requests.filter(({ host }) => host === 'hub').every((r) => r.authorization === 'Bearer hf_secret')).toBe(
      true,
    )
  })

  it('fetches nothing when the file is there, and replaces nothing that differs', async () => {
    const name = hub.add('m.gguf', model)
    writeFileSync(join(folder, 'm.gguf'), model) // copied by hand: no note beside it yet
    expect(await pull(name, options)).toMatchObject({ present: true, sha256: sha256(model) })
    expect(await pull(name, options)).toMatchObject({ present: true })
    expect(hub.servedBytes).toBe(8)
    hub.add('m.gguf', other)
    expect(await problem(name)).toMatch(/is there already, and is not the file at .*models rm m\.gguf/)
    expect(installed('m.gguf').equals(model)).toBe(true)
  })

  it('takes what a server without ranges sends, with and without a length', async () => {
    const name = hub.add('m.gguf', model)
    Object.assign(hub, { ranges: false, redirects: false })
    await pull(name, options)
    hub.tellsLength = false
    let cuts = 0
    hub.cutAfter = () => (cuts++ === 1 ? 300_000 : undefined)
    await pull(name, { ...options, name: 'again.gguf' })
    expect(installed('m.gguf').equals(model)).toBe(true)
    expect(installed('again.gguf').equals(model)).toBe(true)
  })

  it('goes on where connections break', async () => {
    const name = hub.add('m.gguf', model)
    let seed = 7
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    hub.cutAfter = () => (random() < 0.6 ? Math.floor(random() * 300_000) : undefined)
    await pull(name, options)
    expect(installed('m.gguf').equals(model)).toBe(true)
  })

  it('waits out limits, failures and silence', async () => {
    const name = hub.add('m.gguf', model)
    hub.failures.push({ status: 429, headers: { 'retry-after': '0' } }, { status: 500 }, { status: 503 })
    let stalls = 0
    hub.stallAfter = (range) => (range && range[0] > 0 && stalls++ < 2 ? 10_000 : undefined)
    await pull(name, { ...options, stallMs: 200 })
    expect(stalls).toBeGreaterThan(1)
    expect(installed('m.gguf').equals(model)).toBe(true)
    hub.failures.push(...Array.from({ length: 4 }, () => ({ status: 500 })))
    expect(await problem(hub.add('n.gguf', model))).toMatch(/answered with status 500 \(tried 4 times\)/)
  })

  it('can be stopped, and then fetches only the rest', async () => {
    const name = hub.add('m.gguf', model)
    const stop = new AbortController()
    hub.onChunk = () => {
      if (hub.servedBytes > model.length / 2) stop.abort()
    }
    await expect(pull(name, { ...options, signal: stop.signal })).rejects.toThrow()
    hub.onChunk = () => undefined
    const { done, pieceBytes } = JSON.parse(installed('m.gguf.part.json').toString())
    expect(done.length).toBeGreaterThan(0)
    hub.requests.length = 0
    await pull(name, options)
    expect(installed('m.gguf').equals(model)).toBe(true)
    const stretches = (done as [number, number][]).map(([first, last]) => [first * pieceBytes, (last + 1) * pieceBytes])
    for (const { range } of hub.requests) {
      if (!range || range[1] === 3) continue
      for (const [start, end] of stretches) expect(range[1] < start! || range[0] >= end!, `${range}`).toBe(true)
    }
  })

  it('starts anew when the file changed, between attempts and in the middle of one', async () => {
    const name = hub.add('m.gguf', model)
    const stop = new AbortController()
    hub.onChunk = () => {
      if (hub.servedBytes > model.length / 2) stop.abort()
    }
    await expect(pull(name, { ...options, signal: stop.signal })).rejects.toThrow()
    const notes: string[] = []
    const progress = { begin() {}, bytes() {}, checking() {}, note: (text: string) => void notes.push(text) }
    hub.add('m.gguf', other)
    hub.servedBytes = 0
    hub.onChunk = () => {
      if (hub.servedBytes > model.length / 2) hub.add('m.gguf', model)
    }
    await pull(name, { ...options, progress })
    expect(notes).toEqual(['the file changed on the server: starting anew'])
    expect(installed('m.gguf').equals(model)).toBe(true)
  })

  it('checks a checksum that is given', async () => {
    hub.redirects = false
    hub.files.set('/any/m.gguf', model)
    const url = `${hub.url.replace('127.0.0.1', 'localhost')}/any/m.gguf?x=1`
    expect(await problem(url, { sha256: sha256(other) })).toMatch(/has the checksum .*: it was removed/)
    expect(readdirSync(folder)).toEqual([])
    await pull(url, { ...options, sha256: sha256(model).toUpperCase() })
    expect(installed('m.gguf').equals(model)).toBe(true)
    expect(await problem(hub.add('n.gguf', model), { sha256: sha256(other) })).toMatch(/has the checksum .*, not /)
    expect(await problem(url, { sha256: 'abc' })).toBe('a SHA-256 checksum has 64 hexadecimal digits')
  })

  it('lets one process at a time work on a file, and takes over from one that was killed', async () => {
    const name = hub.add('m.gguf', model)
    const both = await Promise.allSettled([pull(name, options), pull(name, options)])
    const refused = both.filter((end) => end.status === 'rejected')
    expect(refused).toHaveLength(1)
    expect(refused[0]?.reason.message).toMatch(/^m\.gguf is being pulled by another process \(\d+\)/)
    expect(installed('m.gguf').equals(model)).toBe(true)
    writeFileSync(join(folder, 'n.gguf.lock'), '999999999 12345')
    await pull(hub.add('n.gguf', model), options)
    writeFileSync(join(folder, 'o.gguf.lock'), `${process.pid} 1`) // the id of a process of ours, begun at another time
    await pull(hub.add('o.gguf', model), options)
    expect(readdirSync(folder).filter((file) => file.includes('lock'))).toEqual([])
  })
})

describe('a pull that cannot be', () => {
  it('says why, and leaves nothing behind', async () => {
    expect(await problem('owner/repository/absent.gguf')).toMatch(
      /^there is no such file: http.*absent\.gguf \(status 404\)$/,
    )
    const name = hub.add('m.gguf', model)
    const refused = (code: string) => ({ status: 401, headers: { 'x-error-code': code } })
    hub.failures.push(refused('GatedRepo'))
    expect(await problem(name)).toMatch(/needs an account \(status 401\).*accept its terms.*set HF_TOKEN/)
    hub.failures.push(refused('GatedRepo'))
    const withToken = await problem(name, { token: 'hf_secret' })
    expect(withToken).toMatch(/refuses the token in HF_TOKEN/)
    expect(withToken).not.toContain('hf_secret')
    hub.failures.push(refused('RepoNotFound'))
    expect(await problem(name)).toMatch(/there is no repository http.*owner\/repository, or it is private/)
    hub.sha256 = 'a'.repeat(64)
    expect(await problem(name)).toMatch(/has the checksum [0-9a-f]{64}, not a{64}: it was removed\. Try again\.$/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses what is no model, at the start or at the end', async () => {
    hub.contentType = 'text/html'
    const page = hub.add('page.gguf', Buffer.from('<!DOCTYPE html><title>Log in</title>'))
    expect(await problem(page)).toMatch(/is not a GGUF file: a web page, perhaps one to log in \(text\/html\)$/)
    hub.contentType = 'application/octet-stream'
    expect(await problem(hub.add('x.gguf', Buffer.from('PK\u0003\u0004 and more')))).toMatch(/it begins with "PK/)
    expect(await problem(hub.add('cut.gguf', model.subarray(0, model.length - 100_000)))).toMatch(
      /cannot be used: cut off/,
    )
    expect(await problem('owner/repository/m-00001-of-00003.gguf')).toMatch(/one of 3 files/)
    expect(await problem(`${hub.url}/model.bin`)).toMatch(/must end in \.gguf.*--name/)
    expect(await problem(`${hub.url}/x/..%2f..%2fetc.gguf`)).toMatch(/cannot be the name of a model file/)
    expect(await problem('../../etc/passwd')).toMatch(/there is no model/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('follows no redirect without end, and none to a host that is not safe', async () => {
    const name = hub.add('m.gguf', model)
    hub.redirectTo = '/owner/repository/resolve/main/m.gguf'
    expect(await problem(name)).toMatch(/redirected more than 5 times/)
    hub.redirectTo = hub.url.replace('127.0.0.1', 'localhost')
    expect(await problem(name)).toMatch(/redirects to http:\/\/localhost:\d+, which is not safe/)
    hub.redirectTo = 'file:///etc/passwd'
    expect(await problem(name)).toMatch(/redirects to file:/)
  })

  it('asks for room first', async () => {
    const { bavail, bsize } = statfsSync(folder)
    hub.redirects = false
    const claimed = bavail * bsize + 10_000_000
    hub.add('m.gguf', Object.defineProperty(Buffer.from(model.subarray(0, 4)), 'length', { value: claimed }))
    expect(await problem('owner/repository/m.gguf')).toMatch(/has [\d,]+ MB left, and [\d,]+ MB are needed/)
    expect(existsSync(join(folder, 'm.gguf.part'))).toBe(false)
  })
})

// Backups of a real server that serves and is written to meanwhile.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { cp, open, readFile, rm } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { oncePerFile } from '@atoll/testkit/after-tests'
import { describeBothTargets, describeSqliteOrBoth } from '@atoll/testkit/both-targets'
import { createPostgresDatabase, postgresAvailable } from '@atoll/testkit/postgres'
import { createTestBucket, lackingS3 } from '@atoll/testkit/s3-server'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { root } from '../places.ts'
import { runAtoll } from '../run-atoll.ts'

const apiKey = 'sk-backup-of-everything'
const longMs = 120_000
/** What comes meanwhile has to be read afterwards: as much as the machine can would take minutes on a slow one. */
const churnPauseMs = 20
const env = { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-backup-of-everything' }
const headers = { authorization: `Bearer ${apiKey}` }
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

interface Place {
  data: string
  database?: string
}

const flagsOf = ({ data, database }: Place) => ['--data', data, ...(database ? ['--database', database] : [])]

async function up(place: Place) {
  const server = new ServerProcess({ args: [...flagsOf(place), '--port', '0'], env })
  return { server, url: await server.ready() }
}

/** Returns the id, and what was sent. */
async function upload(url: string, bytes = randomBytes(3_000)): Promise<[id: string, sha256: string]> {
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new Blob([bytes]), 'bytes.bin')
  const response = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const { id } = (await response.json()) as { id: string }
  return [id, digestOf(bytes)]
}

async function removeFile(url: string, id: string): Promise<void> {
  const response = await fetch(`${url}/v1/files/${id}`, { method: 'DELETE', headers })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}

async function filesOf(url: string): Promise<Map<string, string>> {
  const response = await fetch(`${url}/v1/files?limit=10000`, { headers })
  const { data } = (await response.json()) as { data: { id: string }[] }
  const found = new Map<string, string>()
  for (const { id } of data) {
    const content = await fetch(`${url}/v1/files/${id}/content`, { headers })
    if (!content.ok) throw new Error(`${id}: ${content.status} ${await content.text()}`)
    found.set(id, digestOf(new Uint8Array(await content.arrayBuffer())))
  }
  return found
}

async function succeed(args: string[], more: Record<string, string> = {}) {
  const ended = await runAtoll(args, more)
  expect(ended, ended.err).toMatchObject({ code: 0 })
  return ended
}

/** Kills the command at the first moment that `until` holds. */
async function killed(args: string[], until: () => boolean): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'bin', 'start.cjs'), ...args], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  while (!until() && child.exitCode === null) await setTimeout(1)
  child.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
}

async function nicenessOfThreads(pid: number): Promise<Set<number>> {
  const stats = globSync(`/proc/${pid}/task/*/stat`).map((path) => readFile(path, 'utf8'))
  // The 19th field; the second, in brackets, may hold spaces.
  return new Set((await Promise.all(stats)).map((stat) => Number(stat.replace(/^.*\) /, '').split(' ')[16])))
}

async function damage(path: string): Promise<void> {
  const file = await open(path, 'r+')
  const { size } = await file.stat()
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, size >> 1)
  byte[0] = (byte[0] ?? 0) ^ 1
  await file.write(byte, 0, 1, size >> 1)
  await file.close()
}

/** An installation of the other engine. */
const otherPlace = async (place: Place): Promise<Place> =>
  place.database === undefined && postgresAvailable.available
    ? { data: await tempDir(), database: await createPostgresDatabase() }
    : { data: join(await tempDir(), 'new') }

const placeOf = async (target: DatabaseTarget): Promise<Place> =>
  target.kind === 'sqlite' ? { data: target.folder } : { data: await tempDir(), database: target.url }

describeBothTargets('./atoll backup', (newTarget) => {
  const newPlace = async (): Promise<Place> => placeOf(await newTarget())

  it(
    'holds all that was acknowledged before it, whole, while files come and go; and comes back in the other engine',
    async () => {
      const place = await newPlace()
      const { server, url } = await up(place)
      const before = new Map(await Promise.all(Array.from({ length: 40 }, () => upload(url))))
      const to = join(await tempDir(), 'backups')
      let isWriting = true
      const during = new Map<string, string>()
      const churn = (async () => {
        while (isWriting) {
          const [kept, gone] = await Promise.all([upload(url), upload(url)])
          during.set(...kept)
          await removeFile(url, gone[0])
          await setTimeout(churnPauseMs)
        }
      })()
      const first = await succeed(['backup', to, ...flagsOf(place)])
      isWriting = false
      await churn
      expect(first.err).toContain('copied now')
      const verified = await succeed(['backup', 'verify', to])
      expect(verified.out).toContain('is whole')

      const fresh = await upload(url)
      const second = await succeed(['backup', to, ...flagsOf(place)])
      const copied = Number(/\((\d+) copied now\)/.exec(second.err)?.[1])
      expect(copied).toBeLessThanOrEqual(during.size + 1)
      await server.stop()

      const ids = (await succeed(['backup', 'list', to])).out.trim().split('\n')
      expect(ids.length).toBe(2)
      const other = await otherPlace(place)
      await succeed(['restore', to, '--snapshot', ids[0]!, ...flagsOf(other)])
      expect((await runAtoll(['restore', to, ...flagsOf(other)])).err).toContain('there is an installation already')
      const again = await up(other)
      const files = await filesOf(again.url)
      for (const [id, sha256] of before) expect(files.get(id)).toBe(sha256)
      for (const [id, sha256] of files) expect(before.get(id) ?? during.get(id) ?? sha256).toBe(sha256)
      expect(files.has(fresh[0])).toBe(false)
      const [id, sha256] = await upload(again.url)
      expect((await filesOf(again.url)).get(id)).toBe(sha256)
      await again.server.stop()
    },
    3 * longMs,
  )

  it.skipIf(!postgresAvailable.available)(
    'moves to the other engine, and nothing is different',
    async () => {
      const place = await newPlace()
      const { server, url } = await up(place)
      const files = new Map([await upload(url), await upload(url)])
      const target = place.database === undefined ? await createPostgresDatabase() : join(await tempDir(), 'moved')
      const running = await runAtoll(['move', ...flagsOf(place), '--to', target])
      expect(running).toMatchObject({ code: 1, err: expect.stringContaining('stop it first') })
      await server.stop()
      await succeed(['move', ...flagsOf(place), '--to', target])
      const there = place.database === undefined ? { data: place.data, database: target } : { data: target }
      if (place.database !== undefined) await cp(join(place.data, 'blobs'), join(target, 'blobs'), { recursive: true })
      const moved = await up(there)
      expect(await filesOf(moved.url)).toEqual(files)
      files.set(...(await upload(moved.url)))
      expect(await filesOf(moved.url)).toEqual(files)
      await moved.server.stop()
    },
    longMs,
  )
})

describeSqliteOrBoth('./atoll backup', (newTarget) => {
  it(
    'killed half-way leaves the earlier backup as it was; a restore killed half-way starts nowhere until it is done',
    async () => {
      const place = await placeOf(await newTarget())
      const { server, url } = await up(place)
      const to = join(await tempDir(), 'backups')
      const before = new Map(await Promise.all(Array.from({ length: 30 }, () => upload(url))))
      await succeed(['backup', to, ...flagsOf(place)])
      const copied = () => globSync('blobs/*/*', { cwd: to }).length
      for (let n = 0; n < 5; n++)
        for (const file of await Promise.all(Array.from({ length: 30 }, () => upload(url)))) before.set(...file)
      await killed(['backup', to, ...flagsOf(place)], () => copied() > 35)
      expect((await succeed(['backup', 'list', to])).out.trim().split('\n').length).toBe(1)
      await succeed(['backup', 'verify', to])
      await succeed(['backup', to, ...flagsOf(place)])
      await succeed(['backup', 'verify', to])
      await server.stop()

      const other = await otherPlace(place)
      await killed(['restore', to, ...flagsOf(other)], () => globSync('blobs/??/*', { cwd: other.data }).length > 5)
      const refused = await runAtoll(['up', ...flagsOf(other), '--port', '0', '--only', 'platform'], env)
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('filled half-way') })
      await succeed(['restore', to, ...flagsOf(other)])
      const again = await up(other)
      expect(await filesOf(again.url)).toEqual(before)
      await again.server.stop()
    },
    3 * longMs,
  )
})

describe('./atoll backup', () => {
  /** An installation with files that tests only read. */
  const serving = oncePerFile(async () => {
    const place = { data: await tempDir() }
    const { server, url } = await up(place)
    const files = new Map(await Promise.all(Array.from({ length: 5 }, () => upload(url))))
    await server.stop()
    return { place, files }
  })

  it('of a folder that holds nothing is refused, and makes nothing', async () => {
    const folder = await tempDir()
    const [data, to] = [join(folder, 'mistyped'), join(folder, 'backups')]
    expect(await runAtoll(['backup', to, '--data', data])).toMatchObject({
      code: 1,
      err: `atoll: there is no database in ${data}\n`,
    })
    expect([existsSync(data), existsSync(to)]).toEqual([false, false])
  })

  it('finds a damaged blob, a damaged chunk and a missing one, and restores none of them', {
    timeout: longMs,
  }, async () => {
    const { place } = await serving()
    const to = join(await tempDir(), 'backups')
    await succeed(['backup', to, ...flagsOf(place)])
    const [blob] = globSync('blobs/*/*', { cwd: to })
    const [chunk, lost] = globSync('chunks/*/*', { cwd: to })
    await damage(join(to, blob!))
    await damage(join(to, chunk!))
    await rm(join(to, lost!))
    const found = await runAtoll(['backup', 'verify', to])
    expect(found.code).toBe(1)
    expect(found.out).toContain(`${chunk} is damaged`)
    expect(found.out).toContain(`${lost} is missing`)
    expect(found.out).toMatch(/The blob \S+ is damaged|list of blobs/)
    const restored = await runAtoll(['restore', to, '--data', join(await tempDir(), 'new')])
    expect(restored.code).toBe(1)
    expect(restored.err).toMatch(/damaged|missing/)
  })

  it('is read by nobody without its passphrase', { timeout: longMs }, async () => {
    const { place, files } = await serving()
    const to = join(await tempDir(), 'backups')
    const secret = { ATOLL_BACKUP_PASSPHRASE: 'a reef in the south sea' }
    await succeed(['backup', to, ...flagsOf(place)], secret)
    for (const name of globSync('**/*', { cwd: to, withFileTypes: true }).filter((entry) => entry.isFile())) {
      const bytes = await readFile(join(name.parentPath, name.name))
      for (const id of files.keys()) expect(bytes.includes(id)).toBe(false)
      expect([...files.values()]).not.toContain(digestOf(bytes))
    }
    expect((await runAtoll(['backup', 'verify', to])).err).toContain('is encrypted')
    const wrong = await runAtoll(['backup', 'verify', to], { ATOLL_BACKUP_PASSPHRASE: 'another passphrase' })
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('not the passphrase') })
    await succeed(['backup', 'verify', to], secret)
    const data = join(await tempDir(), 'new')
    await succeed(['restore', to, '--data', data], secret)
    const again = await up({ data })
    expect(await filesOf(again.url)).toEqual(files)
    await again.server.stop()
  })

  it('comes as a tar through a pipe, and leaves the processor to others', { timeout: longMs }, async () => {
    const { place, files } = await serving()
    const to = await tempDir()
    const args = [join(root, 'bin', 'start.cjs'), 'backup', '-', '--data', place.data]
    const backup = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(backup, 'exit')
    // It is at work by then, and cannot end before somebody reads.
    await once(backup.stdout, 'readable')
    const { PRIORITY_BELOW_NORMAL } = constants.priority
    if (process.platform === 'linux') {
      expect(await nicenessOfThreads(backup.pid!)).toEqual(new Set([PRIORITY_BELOW_NORMAL]))
    }
    const tar = spawn('tar', ['x', '-C', to], { stdio: ['pipe', 'ignore', 'inherit'] })
    const unpacked = once(tar, 'exit')
    await pipeline(backup.stdout, tar.stdin)
    expect([await exited, await unpacked]).toEqual([
      [0, null],
      [0, null],
    ])
    expect((await succeed(['backup', 'verify', to])).out).toContain(`${files.size} blobs`)
  })

  it.skipIf(lackingS3 !== '')(
    `lies in a bucket${lackingS3 && ` (${lackingS3} is missing)`}`,
    { timeout: longMs },
    async () => {
      const { place, files } = await serving()
      const { endpoint, bucket, accessKeyId, secretAccessKey } = await createTestBucket()
      const access = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
      const to = `s3://${bucket}/backups?endpoint=${endpoint}`
      await succeed(['backup', to, ...flagsOf(place)], access)
      await succeed(['backup', 'verify', to], access)
      const data = join(await tempDir(), 'new')
      await succeed(['restore', to, '--data', data], access)
      expect(existsSync(join(data, 'atoll.db'))).toBe(true)
      const again = await up({ data })
      expect(await filesOf(again.url)).toEqual(files)
      await again.server.stop()
      const missing = await runAtoll(['backup', `s3://not-there/x?endpoint=${endpoint}`, ...flagsOf(place)], access)
      expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('NoSuchBucket') })
    },
  )
})

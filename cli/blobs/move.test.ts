// Files of a real server move from a folder to a bucket and back while it serves.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createTestBucket, lackingS3 } from '@atoll/testkit/s3-server'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { root } from '../places.ts'
import { runAtoll } from '../run-atoll.ts'

const apiKey = 'sk-moving-house'
const env = { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-moving-house' }
const headers = { authorization: `Bearer ${apiKey}` }
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function upload(url: string, size: number): Promise<[id: string, sha256: string]> {
  const bytes = randomBytes(size)
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new Blob([bytes]), 'bytes.bin')
  const response = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return [((await response.json()) as { id: string }).id, digestOf(bytes)]
}

async function expectAll(url: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, sha256] of files) {
    const response = await fetch(`${url}/v1/files/${id}/content`, { headers })
    expect(response.status).toBe(200)
    expect(digestOf(new Uint8Array(await response.arrayBuffer()))).toBe(sha256)
  }
}

describe.skipIf(lackingS3 !== '')(`./atoll blobs move${lackingS3 && ` (${lackingS3} is missing)`}`, () => {
  it('moves files to a bucket and back while they are read and written, killed half-way too', {
    timeout: 180_000,
  }, async () => {
    const data = await tempDir()
    const folder = await tempDir()
    const { endpoint, bucket, accessKeyId, secretAccessKey, names } = await createTestBucket()
    const s3 = { bucket, endpoint, accessKeyId, secretAccessKey, prefix: 'files' }
    const start = async (blobs: object) => {
      const config = join(folder, 'atoll.json')
      await writeFile(config, JSON.stringify({ blobs, services: ['platform'] }))
      const server = new ServerProcess({ args: ['--data', data, '--port', '0', '--config', config], env })
      return { server, url: await server.ready(), args: ['blobs', 'move', '--data', data, '--config', config] }
    }
    const inBucket = async () => (await names()).filter((name) => /^files\/..\/[^.]+$/.test(name)).length
    const inFolder = () => globSync('blobs/??/*', { cwd: data }).length

    const first = await start({})
    const files = new Map<string, string>()
    for (let n = 0; n < 16; n++) files.set(...(await upload(first.url, 2_000)))
    files.set(...(await upload(first.url, 9 * 1024 * 1024)))
    await first.server.stop()

    const second = await start({ s3, also: {} })
    await expectAll(second.url, files)
    files.set(...(await upload(second.url, 1_000)))
    expect(await inBucket()).toBe(1)
    const moving = spawn(process.execPath, [join(root, 'bin', 'start.cjs'), ...second.args], { stdio: 'ignore' })
    const ended = once(moving, 'exit')
    while (inFolder() > 12) await setTimeout(1)
    moving.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
    await expectAll(second.url, files)
    const reading = (async () => {
      for (let round = 0; round < 2; round++) await expectAll(second.url, new Map(files))
    })()
    const moved = await runAtoll(second.args)
    expect(moved, moved.err).toMatchObject({ code: 0, out: expect.stringContaining('were moved') })
    await reading
    expect(inFolder()).toBe(0)
    expect(await inBucket()).toBe(files.size)
    await second.server.stop()

    const third = await start({ folder: join(data, 'again'), also: { s3 } })
    await expectAll(third.url, files)
    const back = await runAtoll(third.args)
    expect(back, back.err).toMatchObject({ code: 0 })
    expect(await inBucket()).toBe(0)
    await third.server.stop()
    const last = await start({ folder: join(data, 'again') })
    await expectAll(last.url, files)
    await last.server.stop()
  })

  it('says what to do where the configuration names no other place, or the same', async () => {
    const data = await tempDir()
    const nothing = await runAtoll(['blobs', 'move', '--data', data])
    expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('blobs.also does not say') })
  })
})

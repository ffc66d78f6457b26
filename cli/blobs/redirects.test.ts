// Downloads that a real server sends to a real bucket.
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestBucket, lackingS3 } from '@atoll/testkit/s3-server'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'

const apiKey = 'sk-redirected'
const env = { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-redirected' }
const headers = { authorization: `Bearer ${apiKey}` }

async function ask<T>(url: string, body: object | FormData): Promise<T> {
  const isForm = body instanceof FormData
  const response = await fetch(url, {
    method: 'POST',
    headers: isForm ? headers : { ...headers, 'content-type': 'application/json' },
    body: isForm ? body : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

function formOf(fields: Record<string, string | Blob>, filename?: string): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value)
    else form.set(name, value, filename)
  }
  return form
}

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())

describe.skipIf(lackingS3 !== '')(`blobs.s3.redirects${lackingS3 && ` (${lackingS3} is missing)`}`, () => {
  it('sends downloads of whole objects to the bucket, and serves all others', { timeout: 120_000 }, async () => {
    const folder = await tempDir()
    const { endpoint, bucket, accessKeyId, secretAccessKey } = await createTestBucket()
    const config = join(folder, 'atoll.json')
    const s3 = { bucket, endpoint, accessKeyId, secretAccessKey, prefix: 'files', redirects: true }
    await writeFile(config, JSON.stringify({ blobs: { s3 }, services: ['platform'] }))
    const server = new ServerProcess({ args: ['--data', await tempDir(), '--port', '0', '--config', config], env })
    const url = await server.ready()
    const content = randomBytes(100_000)
    const filename = "a 'strange' näme.bin"
    const form = formOf({ purpose: 'user_data', file: new Blob([content]) }, filename)
    const { id } = await ask<{ id: string }>(`${url}/v1/files`, form)
    const path = `${url}/v1/files/${id}/content`

    const answer = await fetch(path, { headers, redirect: 'manual' })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const link = answer.headers.get('location') ?? ''
    expect(link).toMatch(new RegExp(`^${endpoint}/${bucket}/files/`))
    expect(link).not.toContain(secretAccessKey)
    const linked = await fetch(link)
    expect(linked.status).toBe(200)
    expect(linked.headers.get('content-type')).toBe('application/octet-stream')
    expect(linked.headers.get('content-disposition')).toContain("filename*=UTF-8''a%20%27strange%27%20n%C3%A4me.bin")
    expect((await bytesOf(linked)).equals(content)).toBe(true)
    expect((await fetch(link.replace(/(Signature=.{8})./, '$1Z'))).status).toBe(403)

    // As clients follow it by themselves.
    expect((await bytesOf(await fetch(path, { headers }))).equals(content)).toBe(true)
    const ranged = await fetch(path, { headers: { ...headers, range: 'bytes=10-19' } })
    expect([ranged.status, ranged.headers.get('content-range')]).toEqual([206, 'bytes 10-19/100000'])
    expect((await bytesOf(ranged)).equals(content.subarray(10, 20))).toBe(true)

    const head = await fetch(path, { method: 'HEAD', headers, redirect: 'manual' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '100000'])
    expect((await fetch(path, { redirect: 'manual' })).status).toBe(401)
    expect((await fetch(`${url}/v1/files/${id}0/content`, { headers, redirect: 'manual' })).status).toBe(404)

    const joined = { purpose: 'user_data', filename: 'joined.bin', bytes: content.length, mime_type: 'text/plain' }
    const upload = await ask<{ id: string }>(`${url}/v1/uploads`, joined)
    const partIds: string[] = []
    for (const part of [content.subarray(0, 60_000), content.subarray(60_000)]) {
      const { id: partId } = await ask<{ id: string }>(
        `${url}/v1/uploads/${upload.id}/parts`,
        formOf({ data: new Blob([part]) }),
      )
      partIds.push(partId)
    }
    const done = await ask<{ file: { id: string } }>(`${url}/v1/uploads/${upload.id}/complete`, { part_ids: partIds })
    const pieces = await fetch(`${url}/v1/files/${done.file.id}/content`, { headers, redirect: 'manual' })
    expect(pieces.status).toBe(200)
    expect((await bytesOf(pieces)).equals(content)).toBe(true)
    await server.stop()
  })
})

import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type ImagesServer, imagesServer } from './testing/images-server.ts'
import { layer, onDisk } from './testing/sample-images.ts'
import { dockerArchive } from './testing/sample-tars.ts'

/** Layers that are being unpacked are folders beside the files they come from. */
async function unpacking(server: ImagesServer): Promise<string[]> {
  const staging = join(server.folder, 'staging')
  const inside = await Promise.all((await readdir(staging)).map((name) => readdir(join(staging, name))))
  return inside.flat().filter((name) => name.endsWith('.layer'))
}

describe('An image that is being loaded', () => {
  it('leaves nothing when its sender goes away in the middle of a layer', async () => {
    const server = await imagesServer()
    const { tar } = dockerArchive([layer('big', 'x'.repeat(6_000_000))], { names: ['big:1'] })
    const sent = request(`${server.url}/images/load`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-tar', 'content-length': tar.length },
    })
    sent.on('error', () => {})
    sent.write(tar.subarray(0, 4_000_000))
    await vi.waitFor(async () => expect(await unpacking(server)).toHaveLength(1), { timeout: 10_000 })
    sent.destroy()
    await vi.waitFor(async () => expect(await onDisk(server)).toEqual([]), { timeout: 10_000 })
    expect((await server.call('POST', '/images/load?quiet=1', tar)).text).toContain('Loaded image: big:1')
  }, 30_000)
})

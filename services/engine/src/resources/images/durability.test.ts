import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../images/digest.ts'
import { imagesServer } from './testing/images-server.ts'
import { layer, load, onDisk } from './testing/sample-images.ts'

/** No sync comes by itself before the test is over. */
const never = 3_600_000

describe('An image that was loaded shortly before the machine went down', () => {
  it('is whole or gone: what did not get to the disk is never taken for an image', async () => {
    const server = await imagesServer(never)
    const whole = await load(server, ['whole:1'], {}, [layer('w')])
    expect(await server.unsynced()).toBe(4) // a layer, its blob, the configuration, the manifest
    const torn = layer('t')
    await load(server, ['torn:1'], {}, [torn])
    await writeFile(join(server.folder, 'blobs/sha256', digestOf(torn).slice('sha256:'.length)), '')
    await server.reboot()
    expect((await server.call('GET', '/images/json')).json).toMatchObject([{ Id: whole, RepoTags: ['whole:1'] }])
    // Its layer was in doubt too, and is unpacked anew from the blob that was not.
    const { lower } = await server.side.images.createRootfs('one', whole)
    expect(await readFile(join(lower.at(-1) ?? '', 'w'), 'utf8')).toBe('w')
    await load(server, ['torn:1'], {}, [torn])
    expect((await server.call('GET', '/images/torn:1/json')).status).toBe(200)
  })

  it('is in doubt only until it is synced', async () => {
    const server = await imagesServer()
    await load(server, ['web:1'])
    await vi.waitFor(async () => expect(await server.unsynced()).toBe(0), { timeout: 30_000, interval: 100 })
    const before = (await onDisk(server)).sort()
    await server.reboot()
    expect((await onDisk(server)).sort()).toEqual(before)
  }, 40_000)
})

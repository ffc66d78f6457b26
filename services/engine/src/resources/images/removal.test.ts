import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { imagesServer } from './testing/images-server.ts'
import { container, filter, layer, load, onDisk } from './testing/sample-images.ts'

describe('Removing images', () => {
  it('untags first and deletes with the last name; nothing stays on the disk', async () => {
    const server = await imagesServer()
    const id = await load(server, ['web:1', 'web:2'])
    expect((await server.call('DELETE', '/images/web:1')).json).toEqual([{ Untagged: 'web:1' }])
    expect((await server.call('DELETE', '/images/web:2')).json).toEqual([{ Untagged: 'web:2' }, { Deleted: id }])
    expect(await onDisk(server)).toEqual([])
    expect(server.actions()).toEqual(['image load', 'image untag', 'image untag', 'image delete'])
    expect((await server.call('DELETE', '/images/web:2')).status).toBe(404)
  })

  it('keeps layers that another image has too', async () => {
    const server = await imagesServer()
    const base = layer('base')
    await load(server, ['one'], {}, [base, layer('1')])
    await load(server, ['two'], {}, [base, layer('2')])
    await server.call('DELETE', '/images/one')
    const saved = await server.call('GET', '/images/two/get')
    expect(saved.status).toBe(200)
    expect((await readdir(join(server.folder, 'layers'))).length).toBe(3)
  })

  it('is refused in the words of docker', async () => {
    const server = await imagesServer()
    const id = await load(server, ['web:1', 'other:1'])
    const short = id.slice(7, 19)
    const message = async (path: string) => {
      const { status, json } = await server.call('DELETE', `/images/${path}`)
      return [status, json.message]
    }
    expect(await message(short)).toEqual([
      409,
      `conflict: unable to delete ${short} (must be forced) - image is referenced in multiple repositories`,
    ])
    await server.call('DELETE', '/images/other:1')
    server.containers.set('c'.repeat(64), container('c'.repeat(64), id, 'exited'))
    expect(await message('web:1')).toEqual([
      409,
      `conflict: unable to remove repository reference "web:1" (must force) - container cccccccccccc is using its referenced image ${short}`,
    ])
    expect(await message(short)).toEqual([
      409,
      `conflict: unable to delete ${short} (must be forced) - image is being used by stopped container cccccccccccc`,
    ])
    server.containers.set('c'.repeat(64), container('c'.repeat(64), id, 'running'))
    expect(await message(`${short}?force=1`)).toEqual([
      409,
      `conflict: unable to delete ${short} (cannot be forced) - image is being used by running container cccccccccccc`,
    ])
  })

  it('with force leaves the layers to the container that stands on them', async () => {
    const server = await imagesServer()
    const id = await load(server, ['web:1'])
    const rootfs = await server.side.images.createRootfs('c1', id)
    server.containers.set('c1', container('c1', id, 'exited'))
    expect((await server.call('DELETE', '/images/web:1?force=1')).json.at(-1)).toEqual({ Deleted: id })
    expect(await readdir(rootfs.lower[1] ?? '')).toEqual(['hello'])
    await server.side.images.removeRootfs('c1')
    expect(await onDisk(server)).toEqual([])
  })
})

describe('Pruning images', () => {
  it('removes images without a name, and tells what it reclaimed', async () => {
    const server = await imagesServer()
    await load(server, ['keep'])
    const id = await load(server, [], {}, [layer('gone', 'x'.repeat(5_000))])
    const answer = (await server.call('POST', '/images/prune')).json
    expect(answer.ImagesDeleted).toEqual([{ Deleted: id }])
    expect(answer.SpaceReclaimed).toBeGreaterThan(5_000)
    expect(server.told.at(-1)).toMatchObject({
      Action: 'prune',
      Actor: { Attributes: { reclaimed: String(answer.SpaceReclaimed) } },
    })
    expect((await server.call('POST', '/images/prune')).json).toEqual({ ImagesDeleted: null, SpaceReclaimed: 0 })
  })

  it('removes all that no container uses when dangling is false', async () => {
    const server = await imagesServer()
    const used = await load(server, ['used'])
    await load(server, ['unused:1', 'unused:2'], {}, [layer('u')])
    server.containers.set('c', container('c', used, 'exited'))
    await server.call('POST', `/images/prune?${filter({ dangling: ['false'] })}`)
    expect((await server.call('GET', '/images/json')).json).toMatchObject([{ Id: used }])
  })
})

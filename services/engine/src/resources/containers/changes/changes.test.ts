import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { imagesServer } from '../../images/testing/images-server.ts'
import { dockerArchive, tarOf } from '../../images/testing/sample-tars.ts'
import type { ContainerRecord } from '../record.ts'

const run = promisify(execFile)

const base = tarOf([
  { name: 'keep/', type: '5' },
  { name: 'keep/same', data: 'same' },
  { name: 'keep/changed', data: 'before' },
  { name: 'keep/gone', data: 'gone' },
  { name: 'old/a', data: 'a' },
  { name: 'old/b', data: 'b' },
])
/** Hides a file of the layer below: a change to it later is an addition. */
const second = tarOf([{ name: '.wh.hidden' }, { name: 'top', data: 'top' }])

describe('Changes of a container', () => {
  it('are what differs from the image: changed, added, deleted', async () => {
    const server = await imagesServer()
    const { id, tar } = dockerArchive([base, second])
    await server.call('POST', '/images/load', tar)
    const { lower, upper, work } = await server.side.images.createRootfs('c1', id)
    server.containers.set('c1', { id: 'c1', imageId: id, state: { pid: 0 } } as unknown as ContainerRecord)
    expect((await server.call('GET', '/containers/c1/changes')).json).toBeNull()
    const root = join(server.folder, 'merged')
    await mkdir(root)
    const script = `mount -t overlay overlay -o lowerdir=${lower.join(':')},upperdir=${upper},workdir=${work} ${root} &&
      cd ${root} && echo after > keep/changed && rm keep/gone && mkdir new && touch new/file &&
      rm -r old && mkdir old && echo c > old/c && touch hidden`
    await run('unshare', ['-m', 'sh', '-c', script])
    expect((await server.call('GET', '/containers/c1/changes')).json).toEqual([
      { Path: '/hidden', Kind: 1 },
      { Path: '/keep', Kind: 0 },
      { Path: '/keep/changed', Kind: 0 },
      { Path: '/keep/gone', Kind: 2 },
      { Path: '/new', Kind: 1 },
      { Path: '/new/file', Kind: 1 },
      { Path: '/old', Kind: 0 },
      { Path: '/old/a', Kind: 2 },
      { Path: '/old/b', Kind: 2 },
      { Path: '/old/c', Kind: 1 },
    ])
    expect((await server.call('GET', '/containers/none/changes')).status).toBe(404)
    await rm(root, { recursive: true })
  })

  it('do not count the places that are mounted over', async () => {
    const server = await imagesServer()
    const { id, tar } = dockerArchive([base])
    await server.call('POST', '/images/load', tar)
    const { upper } = await server.side.images.createRootfs('c1', id)
    server.containers.set('c1', { id: 'c1', imageId: id, state: { pid: 0 } } as unknown as ContainerRecord)
    await writeFile(join(upper, 'only'), 'this')
    expect((await server.call('GET', '/containers/c1/changes')).json).toEqual([{ Path: '/only', Kind: 1 }])
    const { own, all } = await server.side.images.rootfsSize('c1', id)
    expect([own, all]).toEqual([4, 4 + 16])
  })
})

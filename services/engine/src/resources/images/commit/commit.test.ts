import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ContainerRecord } from '../../containers/record.ts'
import { type ImagesServer, imagesServer } from '../testing/images-server.ts'
import { dockerArchive, tarOf } from '../testing/sample-tars.ts'

async function committable(server: ImagesServer, status = 'exited'): Promise<string> {
  const { id, tar } = dockerArchive([tarOf([{ name: 'base', data: 'base' }])], { names: ['base'] })
  await server.call('POST', '/images/load', tar)
  const { upper } = await server.side.images.createRootfs('c1', id)
  await mkdir(join(upper, 'srv'))
  await writeFile(join(upper, 'srv/own'), 'own')
  const config = { Hostname: 'h', Image: 'base', Cmd: ['sh'], Env: ['A=1'], Labels: { from: 'container' }, Tty: true }
  const record = { id: 'c1', name: 'one', imageId: id, imageName: 'base', config, path: 'sh', args: ['-c', 'x'] }
  server.containers.set('c1', { ...record, state: { status, pid: 0 } } as unknown as ContainerRecord)
  return id
}

describe('A commit', () => {
  it('makes an image of the container’s files and settings', async () => {
    const server = await imagesServer()
    const parent = await committable(server)
    const query = `container=c1&repo=made&tag=1&comment=why&author=me&changes=${encodeURIComponent('ENV B=2')}`
    const answer = await server.call('POST', `/commit?${query}`, { Cmd: ['top'], Labels: { more: 'yes' } })
    expect(answer.status, answer.text).toBe(201)
    const image = (await server.call('GET', '/images/made:1/json')).json
    expect(image).toMatchObject({ Id: answer.json.Id, Parent: parent, Comment: 'why', Author: 'me' })
    expect(image.Config).toMatchObject({
      Cmd: ['top'],
      Env: ['A=1', 'B=2'],
      Labels: { from: 'container', more: 'yes' },
      Hostname: '',
      Tty: false,
    })
    const rootfs = await server.side.images.createRootfs('c2', answer.json.Id)
    expect(await readFile(join(rootfs.lower[1] ?? '', 'srv/own'), 'utf8')).toBe('own')
    expect(rootfs.lower.length).toBe(3)
    expect((await server.call('GET', '/images/made:1/history')).json[0]).toMatchObject({
      CreatedBy: 'sh -c x',
      Comment: 'why',
    })
    expect(server.actions()).toEqual(['image load', 'image create', 'container commit'])
  })

  it('holds a running container still, unless told not to', async () => {
    const server = await imagesServer()
    await committable(server, 'running')
    await server.call('POST', '/commit?container=c1&pause=0')
    expect(server.paused).toEqual([])
    const { json } = await server.call('POST', '/commit?container=c1')
    expect(server.paused).toEqual(['pause c1', 'resume c1'])
    expect((await server.call('GET', `/images/${json.Id}/json`)).json.RepoTags).toEqual([])
  })

  it('is refused for a container that is not there, a bad name or a bad change', async () => {
    const server = await imagesServer()
    await committable(server)
    expect((await server.call('POST', '/commit?container=none')).status).toBe(404)
    expect((await server.call('POST', '/commit')).status).toBe(400)
    expect((await server.call('POST', '/commit?container=c1&repo=UPPER')).status).toBe(400)
    expect((await server.call('POST', '/commit?container=c1&changes=FROM%20x')).status).toBe(400)
  })

  it('keeps the image it stands on from being removed', async () => {
    const server = await imagesServer()
    const parent = await committable(server)
    await server.call('POST', '/commit?container=c1&repo=made')
    server.containers.clear()
    const answer = await server.call('DELETE', `/images/${parent}`)
    expect(answer.json.message).toBe(
      `conflict: unable to delete ${parent.slice(7, 19)} (cannot be forced) - image has dependent child images`,
    )
  })
})

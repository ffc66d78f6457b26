import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { imagesServer } from '../../images/testing/images-server.ts'
import { dockerArchive, tarOf } from '../../images/testing/sample-tars.ts'
import type { ContainerRecord } from '../record.ts'

const run = promisify(execFile)

describe('The export of a container', () => {
  it('is one tar of all its layers and its own files, and imports as an image', async () => {
    const server = await imagesServer()
    const first = tarOf([
      { name: 'a/low', data: 'low' },
      { name: 'a/gone', data: 'gone' },
    ])
    const second = tarOf([
      { name: 'a/.wh.gone' },
      { name: 'a/high', data: 'high' },
      { name: 'a/same', type: '1', link: 'a/high' },
    ])
    const { id, tar } = dockerArchive([first, second])
    await server.call('POST', '/images/load', tar)
    const { upper } = await server.side.images.createRootfs('c1', id)
    await writeFile(join(upper, 'own'), 'own')
    const record = {
      id: 'c1',
      name: 'c1',
      imageId: id,
      imageName: 'x',
      config: { Labels: { l: '1' } },
      state: { pid: 0 },
    }
    server.containers.set('c1', record as unknown as ContainerRecord)
    const answer = await server.call('GET', '/containers/c1/export')
    expect(answer.status).toBe(200)
    const folder = await tempDir()
    await writeFile(join(folder, 'tar'), answer.bytes)
    const { stdout } = await run('tar', ['-tvf', join(folder, 'tar')])
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(5).join(' '))
    expect(names.filter((name) => /^(a|own)/.test(name))).toEqual([
      'a/',
      'a/high',
      'a/low',
      'a/same link to a/high',
      'own',
    ])
    expect(server.told.at(-1)).toMatchObject({
      Action: 'export',
      Actor: { ID: 'c1', Attributes: { l: '1', name: 'c1' } },
    })
    const imported = await server.call('POST', '/images/create?fromSrc=-&repo=flat', answer.bytes)
    expect(imported.status).toBe(200)
    expect((await server.call('GET', '/containers/none/export')).status).toBe(404)
    await rm(folder, { recursive: true })
  })
})

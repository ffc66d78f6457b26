// What a container may be created with, on a real machine and in every version that has a say in it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { busybox, startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const create = (version: string, body: object, query = '') =>
  engine.call('POST', `/v${version}/containers/create${query}`, { Image: 'busybox', Cmd: ['sleep', '9'], ...body })
const inspect = async (version: string, id: string) =>
  (await engine.call('GET', `/v${version}/containers/${id}/json`)).body

const versions = Array.from({ length: 30 }, (_, index) => `1.${index + 18}`)

beforeAll(async () => {
  engine = await startWholeEngine()
})
afterAll(() => engine?.stop())

describe('a new container', () => {
  it('ENG-130 is refused with 404 from 1.41 on when its image is here for another platform only', async () => {
    const foreign = process.arch === 'arm64' ? 'linux/amd64' : 'linux/arm64'
    const imported = await engine.call('POST', `/images/create?fromSrc=-&repo=foreign&platform=${foreign}`, busybox())
    expect(imported.status).toBe(200)
    const native = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64'
    const asked = { Image: 'foreign' }
    for (const version of ['1.41', '1.47']) {
      const { status, body } = await create(version, asked, `?platform=${native}`)
      expect([status, body.message]).toEqual([404, expect.stringContaining('does not match the specified platform')])
      expect((await create(version, asked, `?platform=${foreign}`)).status).toBe(201)
    }
    // Before, nobody was asked for a platform.
    expect((await create('1.40', asked, `?platform=${native}`)).status).toBe(201)
  })

  it('ENG-144 shares its memory with others up to 1.39, and keeps it for itself from 1.40 on', async () => {
    await engine.run('1.39', 'giver')
    await engine.run('1.40', 'keeper')
    expect((await inspect('1.39', 'giver')).HostConfig.IpcMode).toBe('shareable')
    expect((await inspect('1.40', 'keeper')).HostConfig.IpcMode).toBe('private')
    await engine.inside('giver', 'echo given > /dev/shm/word')
    await engine.run('1.47', 'taker', { HostConfig: { IpcMode: 'container:giver' } })
    expect(await engine.inside('taker', 'cat /dev/shm/word')).toBe('given\n')
    const { body } = await create('1.47', { HostConfig: { IpcMode: 'container:keeper' } })
    const start = await engine.call('POST', `/containers/${body.Id}/start`)
    expect([start.status, start.body.message]).toEqual([409, expect.stringContaining('non-shareable IPC')])
  })

  it('ENG-206 names its runtime in the same way in all versions', async () => {
    for (const version of versions) {
      const { body } = await create(version, { HostConfig: { Runtime: 'runc' } })
      expect((await inspect(version, body.Id)).HostConfig.Runtime, version).toBe('runc')
      const refused = await create(version, { HostConfig: { Runtime: 'unheard' } })
      const words = String(refused.body.message ?? refused.body).trim()
      expect([refused.status, words], version).toEqual([400, 'unknown or invalid runtime name: unheard'])
    }
  })

  it('ENG-170 ENG-259 reads back its storage options from 1.24 on, and is told that they have no effect', async () => {
    const { body } = await create('1.24', { HostConfig: { StorageOpt: { size: '1G' } } })
    expect(body.Warnings).toEqual([expect.stringMatching(/^StorageOpt size has no effect/)])
    expect((await inspect('1.24', body.Id)).HostConfig.StorageOpt).toEqual({ size: '1G' })
    expect((await inspect('1.23', body.Id)).HostConfig).not.toHaveProperty('StorageOpt')
    const older = await create('1.23', { HostConfig: { StorageOpt: { size: '1G' } } })
    expect((await inspect('1.47', older.body.Id)).HostConfig).not.toHaveProperty('StorageOpt')
  })

  it('ENG-207 ENG-273 reads back a device of Windows in all versions; on this host it does not start with it', async () => {
    const PathOnHost = 'class://5B45201D-F2F2-4F3B-85BB-30FF1F953599'
    for (const version of versions) {
      const { status, body } = await create(version, { HostConfig: { Devices: [{ PathOnHost }] } })
      expect(status, version).toBe(201)
      expect(body.Warnings).toEqual([expect.stringContaining('is of Windows')])
      expect((await inspect(version, body.Id)).HostConfig.Devices[0].PathOnHost, version).toBe(PathOnHost)
    }
    const { body } = await create('1.47', { HostConfig: { Devices: [{ PathOnHost }] } })
    const start = await engine.call('POST', `/containers/${body.Id}/start`)
    expect(start.body.message).toContain('no such device on the host')
  })
})

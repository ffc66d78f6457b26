import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type ClusterServer, describeCluster } from '../../testing/cluster-server.ts'
import { here, modulePackage, sha256, sharedObject, streamedPackage } from '../../testing/module-packages.ts'

const kept = ({ folder }: ClusterServer): string[] => readdirSync(join(folder, 'cluster/modules'))
const blobs = async ({ kernel }: ClusterServer): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of kernel.blobs.list()) keys.push(key)
  return keys
}

describeCluster('modules', (start) => {
  it('are taken in by both versions of the interface, listed, shown and deleted', async () => {
    const server = await start()
    const { admin, core } = server
    const file = sharedObject()
    const made = await admin.upload('/v2/modules', modulePackage({ file }))
    expect(made).toMatchObject({
      status: 200,
      body: {
        ...{ module_name: 'tally', display_name: 'Tally', semantic_version: '1.0.0', version: 10_000 },
        ...{ sha256: sha256(file), architecture: here, os: 'Linux', module_file: 'tally.so', is_bundled: false },
        ...{ min_redis_version: '7.0', min_redis_pack_version: '6.0', command_line_args: 'STEP 1' },
      },
    })
    const { action_uid, ...module } = made.body
    const action = (await admin.call('GET', `/v2/actions/${action_uid}`)).body
    expect(action).toMatchObject({ name: 'install_module', action_type: 'task', status: 'completed', progress: 100 })
    const old = await admin.upload('/v1/modules', modulePackage({ json: { semantic_version: '0.9.1', version: null } }))
    expect(old).toMatchObject({ status: 200, body: { version: 901 } })
    expect((await admin.call('GET', `/v1/modules/${module.uid}`)).body).toEqual(module)
    expect((await admin.call('GET', '/v1/modules')).body).toHaveLength(2)
    expect(await core.modules.find('tally', '0.9.1')).toMatchObject({ uid: old.body.uid })
    expect(await core.modules.find('tally', '3.0.0')).toBeUndefined()
    const deleted = await admin.call('DELETE', `/v2/modules/${module.uid}`)
    expect(deleted).toMatchObject({ status: 200, body: { action_uid: expect.any(String) } })
    expect((await admin.call('DELETE', `/v1/modules/${old.body.uid}`)).status).toBe(200)
    for (const version of ['v1', 'v2']) {
      expect((await admin.call('DELETE', `/${version}/modules/${module.uid}`)).status).toBe(404)
    }
    expect((await admin.call('GET', `/v1/modules/${module.uid}`)).status).toBe(404)
    expect(kept(server)).toEqual([])
    expect(await blobs(server)).toEqual([])
  })

  it('keep their shared object as it came, to be run', async () => {
    const server = await start()
    const file = sharedObject(here, 3_000_000)
    const { body } = await server.admin.upload('/v2/modules', modulePackage({ file, zip: { level: 0 } }))
    const record = await server.core.modules.get(body.uid)
    expect(record?.file).toBe(join(server.folder, 'cluster/modules', body.uid, 'tally.so'))
    expect(readFileSync(record!.file).equals(file)).toBe(true)
    expect(statSync(record!.file).mode & 0o777).toBe(0o755)
    expect(await server.core.modules.isWhole(record!)).toBe(true)
    writeFileSync(record!.file, 'something else')
    expect(await server.core.modules.isWhole(record!)).toBe(false)
  })

  it('may be packed in a folder, as a stream, and by other names of their machine', async () => {
    const { admin, core } = await start()
    const file = sharedObject(here, 700_000)
    const architecture = here === 'x86_64' ? 'amd64' : 'arm64'
    const { status, body } = await admin.upload(
      '/v2/modules',
      streamedPackage(file, { architecture, module_file: null }),
    )
    expect([status, body.architecture, body.module_file]).toEqual([200, here, 'tally.so'])
    expect(await core.modules.isWhole((await core.modules.get(body.uid))!)).toBe(true)
  })

  it('are taken in once each, however often they are sent at the same moment', async () => {
    const server = await start()
    const sent = await Promise.all([1, 2, 3, 4].map(() => server.admin.upload('/v2/modules', modulePackage())))
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    const codes = sent.filter(({ status }) => status === 400).map(({ body }) => body.error_code)
    expect(codes).toEqual(['module_exists', 'module_exists', 'module_exists'])
    expect(kept(server)).toHaveLength(1)
    expect(await blobs(server)).toEqual([])
  })

  it('stay while a database has them, or is just about to', async () => {
    const server = await start()
    const { admin, core } = server
    const { uid } = (await admin.upload('/v2/modules', modulePackage())).body
    let users = ['orders', 'carts']
    core.modules.usedBy(async (asked) => (asked === uid ? users : []))
    const remove = () => admin.call('DELETE', `/v1/modules/${uid}`)
    expect(await remove()).toMatchObject({
      status: 406,
      body: { message: expect.stringContaining('orders, carts') },
    })
    users = []
    const hold = core.modules.hold(uid)
    expect((await remove()).status).toBe(406)
    expect(existsSync((await core.modules.get(uid))!.file)).toBe(true)
    hold[Symbol.dispose]()
    hold[Symbol.dispose]()
    expect((await remove()).status).toBe(200)
  })

  it('are there again after a restart, and what a crash left half done is not', async () => {
    const first = await start()
    const { uid } = (await first.admin.upload('/v2/modules', modulePackage())).body
    await first.close()
    for (const left of ['.incoming-0123', 'fedcba9876543210fedcba9876543210']) {
      mkdirSync(join(first.folder, 'cluster/modules', left))
      writeFileSync(join(first.folder, 'cluster/modules', left, 'tally.so'), 'left behind')
    }
    const second = await start({ after: first })
    expect(kept(second)).toEqual([uid])
    const record = await second.core.modules.get(uid)
    expect(await second.core.modules.isWhole(record!)).toBe(true)
  })
})

// The whole way from a record to a container, with the files it depends on.
import { existsSync, mkdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { Rootfs } from '../runtime.ts'
import { type HostFacts, readHostFacts } from './host.ts'
import { sharedMemoryFolder } from './shared-memory.ts'
import { OciSpecs } from './specs.ts'
import { canRun, runSpec, runtimes, testCgroup } from './testing/run-bundle.ts'
import { testConfig, testHostConfig, testId } from './testing/spec-input.ts'

describe('specs', () => {
  let host: HostFacts
  let rootfs: Rootfs
  let specs: OciSpecs

  beforeEach(async () => {
    host = await readHostFacts()
    const folder = await tempDir()
    rootfs = { upper: join(folder, 'upper'), work: join(folder, 'work'), lower: [join(folder, 'lower')] }
    mkdirSync(rootfs.upper)
    mkdirSync(join(folder, 'lower/etc'), { recursive: true })
    writeFileSync(join(folder, 'lower/etc/passwd'), 'ann:x:1000:1000::/home/ann:/bin/sh\n')
    writeFileSync(join(folder, 'lower/etc/group'), 'wheel:x:10:ann\n')
    specs = new OciSpecs({ host, rootfs: async () => rootfs })
  })

  const recordOf = (config: object, hostConfig: object, command: string): ContainerRecord => ({
    id: testId,
    name: 'one',
    created: '',
    imageId: '',
    imageName: '',
    os: 'linux',
    config: testConfig(config),
    hostConfig: testHostConfig({ CgroupParent: testCgroup, ...hostConfig }),
    endpoints: {},
    mounts: [],
    path: '/bin/sh',
    args: ['-c', command],
    state: {
      status: 'created',
      pid: 0,
      exitCode: 0,
      error: '',
      oomKilled: false,
      startedAt: '',
      finishedAt: '',
      stoppedByCaller: false,
    },
    restartCount: 0,
    ports: {},
  })
  const etc = async () => {
    const folder = await tempDir()
    const files = {
      hosts: join(folder, 'hosts'),
      hostname: join(folder, 'hostname'),
      resolvConf: join(folder, 'resolv.conf'),
    }
    for (const file of Object.values(files)) writeFileSync(file, `from ${file}\n`)
    return files
  }

  it('find users in the layers of the image, for the container and for what joins it', async () => {
    const record = recordOf({ User: 'ann' }, {}, 'true')
    const spec = await specs.build({ record, rootfs, files: await etc(), joined: {} })
    expect(spec.process.user).toEqual({ uid: 1000, gid: 1000, additionalGids: [1000, 10] })
    expect(spec.process.env).toContain('HOME=/home/ann')
    expect(await specs.process(record, ['ls'])).toMatchObject({ args: ['ls'], user: { uid: 1000 }, terminal: false })
    expect(await specs.exec(record, { cmd: ['id'], tty: true, user: 'root:wheel' }).catch(String)).toContain(
      'unable to find user root',
    )
    expect(await specs.exec(record, { cmd: ['id'], tty: true, user: '0:wheel' })).toMatchObject({
      user: { uid: 0, gid: 10 },
    })
  })

  it('say what is wrong, or else what this host does without', async () => {
    const wrong = await specs.check(testConfig(), testHostConfig({ Memory: 1, CpuCount: 2 }))
    expect(wrong).toEqual({ problems: ['Minimum memory limit allowed is 6MB'], warnings: [] })
    const { problems, warnings } = await specs.check(testConfig(), testHostConfig({ CpuCount: 2 }))
    expect({ problems, warnings }).toEqual({
      problems: [],
      warnings: ['CpuCount is for Windows containers only and has no effect.'],
    })
  })

  it('carry new limits alone to a running container', async () => {
    expect(await specs.resources(testHostConfig({ Memory: 64 << 20, MemorySwap: -1, CpuShares: 2 }))).toEqual({
      memory: { limit: 64 << 20, swap: -1 },
      cpu: { shares: 2 },
    })
  })

  it('refuse shared memory in a folder that somebody else put there', async () => {
    const folder = sharedMemoryFolder(testId)
    symlinkSync(rootfs.upper, folder)
    const record = recordOf({}, { IpcMode: 'shareable' }, 'true')
    const building = specs.build({ record, rootfs, files: await etc(), joined: {} })
    await expect(building.finally(() => unlinkSync(folder))).rejects.toThrow('cannot be made')
    expect(statSync(rootfs.upper).mode & 0o1000).toBe(0)
  })

  describe.skipIf(!canRun).each(runtimes)('with %s', (runtime) => {
    it('share memory with the containers that join, and leave none of it behind', async () => {
      const folder = sharedMemoryFolder(testId)
      const owner = recordOf({}, { IpcMode: 'shareable' }, 'echo shared > /dev/shm/word; cat /dev/shm/word')
      const spec = await specs.build({ record: owner, rootfs, files: await etc(), joined: {} })
      const joining = recordOf({}, { IpcMode: 'container:one' }, 'true')
      const other = await specs.build({
        record: joining,
        rootfs,
        files: await etc(),
        joined: { ipc: process.pid },
        ipcOwner: testId,
      })
      expect(other.mounts).toContainEqual(
        expect.objectContaining({ destination: '/dev/shm', type: 'bind', source: folder }),
      )
      expect(existsSync(folder)).toBe(true)
      expect(await runSpec(runtime, spec)).toEqual({ output: 'shared\n', exitCode: 0 })
      expect(existsSync(folder)).toBe(false)
    })

    it('leave no shared memory behind, however much the runtime tells of the container', async () => {
      const record = recordOf({}, { IpcMode: 'shareable' }, 'true')
      const spec = await specs.build({ record, rootfs, files: await etc(), joined: {} })
      // More than a pipe holds.
      const annotations = { ...spec.annotations, story: 'x'.repeat(200_000) }
      expect(await runSpec(runtime, { ...spec, annotations })).toEqual({ output: '', exitCode: 0 })
      expect(existsSync(sharedMemoryFolder(testId))).toBe(false)
    })

    it('have the files the engine writes, and exit as the program does', async () => {
      const files = await etc()
      const record = recordOf({}, {}, 'cat /etc/hosts /etc/hostname /etc/resolv.conf; exit 7')
      const spec = await specs.build({ record, rootfs, files, joined: {} })
      expect(await runSpec(runtime, spec)).toEqual({
        output: `from ${files.hosts}\nfrom ${files.hostname}\nfrom ${files.resolvConf}\n`,
        exitCode: 7,
      })
    })
  })
})

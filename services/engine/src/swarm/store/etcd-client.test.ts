// What becomes of questions to a real etcd that is killed, and started again, in their midst.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasEtcd } from '../testing/start-swarm.ts'
import { EtcdClient } from './etcd-client.ts'
import { socketPlace } from './etcd-connection.ts'
import { EtcdProcess } from './etcd-process.ts'
import type { KeptNode } from './objects.ts'
import { SwarmStore } from './swarm-store.ts'

const writers = 8
const writesEach = 40

describe.skipIf(!hasEtcd)('an etcd that is killed and started again', () => {
  let folder: string
  let etcd: EtcdProcess
  let client: EtcdClient

  beforeEach(async () => {
    folder = mkdtempSync('/tmp/ae-')
    etcd = new EtcdProcess(join(folder, 'etcd'), silentLog)
    client = await etcd.start({})
  })

  afterEach(async () => {
    client.close()
    await etcd.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const write = (key: string) =>
    client.commit({ conditions: [{ key, revision: 0 }], puts: [{ key, value: key }], deletes: [] })
  const pids = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && folderOf(pid) === join(folder, 'etcd'))

  /** Nothing else happens in this process until it is gone: a connection that was kept is still taken for a good one. */
  function killAtOnce(): void {
    const [pid = ''] = pids()
    process.kill(Number(pid), 'SIGKILL')
    while (!isGone(pid));
  }

  it('answers a reader whose connection it had kept', async () => {
    await write('/key')
    killAtOnce()
    expect((await client.range('/')).entries.map(({ key }) => key)).toEqual(['/key'])
  })

  it('answers a writer whose connection it had kept', async () => {
    await write('/first')
    killAtOnce()
    expect(await write('/second')).toMatchObject({ isDone: true })
    expect((await client.range('/')).entries.map(({ key }) => key)).toEqual(['/first', '/second'])
  })

  it('has what many write meanwhile, each of it once', async () => {
    const isDone = async (writer: number, turn: number) => (await write(`/${writer}/${turn}`)).isDone
    let turns = 0
    const all = Array.from({ length: writers }, async (_, writer) => {
      for (let turn = 0; turn < writesEach; turn++) {
        expect(await isDone(writer, turn)).toBe(true)
        if (++turns === (writers * writesEach) / 2) killAtOnce()
      }
    })
    await Promise.all(all)
    const { entries } = await client.range('/')
    expect(entries).toHaveLength(writers * writesEach)
    expect(new Set(entries.map(({ revision }) => revision)).size).toBe(entries.length)
  })

  describe('whose answer is lost', () => {
    let proxy: Server
    let lossy: EtcdClient

    beforeEach(async () => {
      const [pid] = pids()
      let isLost = false
      // The first answer ends the connection instead of reaching who asked.
      proxy = createServer((socket) => {
        const upstream = connect(`/proc/${pid}/cwd/client:1`)
        for (const each of [socket, upstream]) each.on('error', () => {}).once('close', () => upstream.destroy())
        socket.pipe(upstream)
        upstream.on('data', (chunk) => {
          if (isLost) socket.write(chunk)
          else socket.destroy()
          isLost = true
        })
      })
      const path = join(folder, 'proxy')
      await new Promise<void>((resolve) => proxy.listen(path, resolve))
      lossy = new EtcdClient(socketPlace(() => path))
    })

    afterEach(() => {
      lossy.close()
      proxy.close()
    })

    const put = { puts: [{ key: '/key', value: 'mine' }], deletes: [] }

    it('is asked again for what it would not do twice, and says that it is done', async () => {
      expect(await lossy.commit({ ...put, conditions: [{ key: '/key', revision: 0 }] })).toMatchObject({ isDone: true })
      expect((await client.range('/')).entries).toMatchObject([{ key: '/key', value: 'mine', revision: 2 }])
    })

    it('is not asked again for what it would do twice', async () => {
      await expect(lossy.commit({ ...put, conditions: [] })).rejects.toThrow('store of the swarm does not answer')
      expect((await client.range('/')).entries).toMatchObject([{ key: '/key', value: 'mine', revision: 2 }])
    })

    it('is asked again by readers', async () => {
      await client.commit({ ...put, conditions: [] })
      expect((await lossy.range('/')).entries).toMatchObject([{ key: '/key', value: 'mine' }])
    })
  })

  describe('on a machine that vanishes', () => {
    const sockets = new Set<Socket>()
    let way: Server
    let far: EtcdClient

    beforeEach(async () => {
      const [pid] = pids()
      way = createServer((socket) => {
        const upstream = connect(`/proc/${pid}/cwd/client:1`)
        for (const each of [socket, upstream]) each.on('error', () => {}).once('close', () => upstream.destroy())
        socket.pipe(upstream).pipe(socket)
        sockets.add(socket).add(upstream)
      })
      await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
      const { port } = way.address() as AddressInfo
      const options = { host: '127.0.0.1', port, headers: { host: 'etcd' } }
      far = new EtcdClient({ target: () => ({ isSecure: false, options }), failed: () => {} })
    })

    afterEach(() => {
      far.close()
      for (const socket of sockets) socket.destroy()
      way.close()
    })

    it('without a word is watched at another that takes its place', async () => {
      const store = new SwarmStore(far, silentLog, () => Date.now())
      await store.open()
      const object = { ID: 'one', Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' } as KeptNode
      expect(await store.commit([{ kind: 'node', object, index: 0 }])).toBe(true)
      for (const socket of sockets) socket.unpipe().pause()
      expect(await store.commit([{ kind: 'node', object: { ...object, ID: 'two' }, index: 0 }])).toBe(true)
      expect(store.all('node').map(({ ID }) => ID)).toEqual(['one', 'two'])
      store.close()
    })
  })
})

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

/** It ended, whether or not somebody asked for its exit code yet. */
function isGone(pid: string): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

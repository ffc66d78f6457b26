// Members of the store and managers, with two real etcds that speak to each other.
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@atoll/testkit/free-port'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { peerUrlOf } from '../addresses.ts'
import { newAuthority } from '../identity/authority.ts'
import { type Credentials, certifyNode, newNodeKey } from '../identity/node-certificate.ts'
import { EtcdProcess, type MemberPlace } from '../store/etcd-process.ts'
import type { KeptNode } from '../store/objects.ts'
import { SwarmStore } from '../store/swarm-store.ts'
import { hasEtcd } from '../testing/start-swarm.ts'
import { Members } from './members.ts'

const times = { nowMs: Date.now(), lifetimeMs: 3_600_000 }
type Authority = Awaited<ReturnType<typeof newAuthority>>

async function credentialsOf(authority: Authority, nodeId: string): Promise<Credentials> {
  const { key, publicKey } = await newNodeKey()
  const name = { nodeId, clusterId: 'swarm', role: 'manager' as const }
  const certificate = certifyNode(authority, name, createPublicKey(publicKey), { ...times, addresses: ['127.0.0.1'] })
  return { certificate, key, authority: authority.certificate }
}

const managerOf = (ID: string, Addr: string) =>
  ({
    ...{ ID, Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '', Spec: { Role: 'manager' } },
    ...{ Status: { State: 'ready' }, ManagerStatus: { Addr } },
  }) as unknown as KeptNode

describe.skipIf(!hasEtcd)('members of the store', () => {
  let folder: string
  let etcds: EtcdProcess[]
  let places: (MemberPlace & { address: string })[]

  beforeEach(async () => {
    folder = mkdtempSync('/tmp/am-')
    const authority = await newAuthority(times.nowMs)
    places = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const address = `127.0.0.1:${(await freePort()) - 1}`
        const url = peerUrlOf(address)
        return { name, address, listenUrl: url, peerUrl: url, credentials: await credentialsOf(authority, name) }
      }),
    )
    etcds = places.map(({ name }) => new EtcdProcess(join(folder, name), silentLog))
  })

  afterEach(async () => {
    for (const etcd of etcds) await etcd.forget()
    rmSync(folder, { recursive: true, force: true })
  })

  it('that a manager added which went away then get their say from the one that leads', async () => {
    const [first, second] = places as [(typeof places)[0], (typeof places)[0]]
    const client = await etcds[0]!.start({ place: first })
    const store = new SwarmStore(client, silentLog, () => Date.now())
    await store.open()
    await store.commit([{ kind: 'node', object: managerOf('first', first.address), index: 0 }])
    const members = new Members({ client, store, nodeId: 'first', log: silentLog })
    const stop = members.keep()
    await store.commit([{ kind: 'node', object: managerOf('second', second.address), index: 0 }])
    // By whoever went away.
    await client.addLearner(second.peerUrl)
    // Resolves when it has its say.
    const own = await etcds[1]!.start({ place: second, members: places })
    expect((await own.members()).members.map(({ isLearner }) => isLearner)).toEqual([false, false])
    own.close()
    stop()
    members.stop()
    store.close()
  }, 90_000)
})

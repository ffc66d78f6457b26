// A swarm of one engine on several isolated machines: three managers and a worker.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { addressOf, newWire, type Wire } from '@atoll/engine/swarm/testing/wire'
import { type IsolatedHost, isolatedHost } from '@atoll/engine/testing/isolated'
import { send } from '../engine/measures.ts'
import type { Peer } from '../engine/peers.ts'

export interface Machine {
  host: IsolatedHost
  peer: Peer
  address: string
}

export interface Several {
  name: string
  managers: Machine[]
  worker: Machine
  stop(): Promise<void>
}

type MakePeer = (host: IsolatedHost, folder: string) => Peer
type Tokens = { JoinTokens: { Manager: string; Worker: string } }

const managerCount = 3
const port = 2377
const waitMs = 120_000
const pollMs = 10

export async function startSeveral(make: MakePeer, folder: string, busybox: string): Promise<Several> {
  const wire = await newWire()
  const machines: Machine[] = []
  const stop = async () => {
    for (const { peer } of machines) await removeContainers(peer).catch(() => undefined)
    for (const { peer } of machines) await peer.stop().catch(() => undefined)
    for (const { host } of machines) await host.stop()
    await wire.stop()
  }
  try {
    for (let number = 1; number <= managerCount + 1; number++) {
      machines.push(await startMachine(make, { wire, number, folder, busybox }))
    }
    await form(machines)
  } catch (error) {
    await stop()
    throw error
  }
  const [worker] = machines.slice(managerCount) as [Machine]
  return { name: worker.peer.name, managers: machines.slice(0, managerCount), worker, stop }
}

async function startMachine(
  make: MakePeer,
  { wire, number, folder, busybox }: { wire: Wire; number: number; folder: string; busybox: string },
): Promise<Machine> {
  const host = await isolatedHost()
  await wire.plugIn(host, number)
  // Debian's dockerd keeps a key there, which shall not stay.
  await host.run('sh', ['-c', '[ ! -d /etc/docker ] || mount -t tmpfs tmpfs /etc/docker'])
  const own = join(folder, `machine${number}`)
  mkdirSync(own, { recursive: true })
  const peer = make(host, own)
  await peer.start()
  await send(peer, '/images/create?fromSrc=-&repo=busybox&tag=latest', busybox)
  return { host, peer, address: addressOf(number) }
}

async function form(machines: readonly Machine[]): Promise<void> {
  const [first, ...others] = machines as [Machine, ...Machine[]]
  const own = { ListenAddr: `0.0.0.0:${port}`, AdvertiseAddr: `${first.address}:${port}` }
  await first.peer.client.ask('POST', '/swarm/init', { ...own, Spec: {} })
  const { JoinTokens } = await first.peer.client.ask<Tokens>('GET', '/swarm')
  for (const [index, { peer, address }] of others.entries()) {
    await peer.client.ask('POST', '/swarm/join', {
      ...{ ListenAddr: `0.0.0.0:${port}`, AdvertiseAddr: `${address}:${port}` },
      ...{ RemoteAddrs: [`${first.address}:${port}`] },
      JoinToken: index + 1 < managerCount ? JoinTokens.Manager : JoinTokens.Worker,
    })
  }
  await settled(first, managerCount)
}

interface Listed {
  Status: { State: string; Addr: string }
  ManagerStatus?: { Leader?: boolean; Reachability: string; Addr: string }
}

/** Everybody is there, and somebody leads. */
export const settled = ({ peer }: Machine, managers: number): Promise<Listed[]> =>
  until(async () => {
    const nodes = await peer.client.ask<Listed[]>('GET', '/nodes').catch(() => [])
    const reachable = nodes.filter(({ ManagerStatus }) => ManagerStatus?.Reachability === 'reachable')
    const isLed = reachable.some(({ ManagerStatus }) => ManagerStatus?.Leader === true)
    return isLed && reachable.length === managers ? nodes : undefined
  })

export async function leaderOf(several: Several): Promise<Machine> {
  const [first] = several.managers as [Machine]
  const nodes = await settled(first, several.managers.length)
  const { Addr = '' } = nodes.find(({ ManagerStatus }) => ManagerStatus?.Leader === true)?.ManagerStatus ?? {}
  const found = several.managers.find(({ address }) => Addr.startsWith(`${address}:`))
  if (found === undefined) throw new Error(`nobody is at ${Addr}`)
  return found
}

export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error('it took longer than two minutes')
    await pause(pollMs)
  }
}

/** Killed with their machine, containers would leave their control groups behind. */
async function removeContainers({ client }: Peer): Promise<void> {
  await client.ask('POST', '/swarm/leave?force=1')
  const all = await client.ask<{ Id: string }[]>('GET', '/containers/json?all=1')
  for (const { Id } of all) await client.ask('DELETE', `/containers/${Id}?force=1`)
}

// Containers: runs, starts, execs, stops, lists, events, loads and memory, side by side with dockerd and podman.
// needs: root, wrk, crun, ip, nft, cc, docker, busybox
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type IsolatedHost, isolatedHost } from '@atoll/engine/testing/isolated'
import { Figures } from './engine/figures.ts'
import { makeBigImage, makeBusybox } from './engine/images.ts'
import * as measures from './engine/measures.ts'
import { atoll, dockerd, type Peer, podman } from './engine/peers.ts'
import { requireWrk } from './measure.ts'

const rounds = 3
/** Linux takes no socket paths of more than 107 bytes, whatever TMPDIR says. */
const parentFolder = '/tmp'
const list = '/containers/json?all=1'

export async function bench(): Promise<void> {
  if (process.getuid?.() !== 0) {
    console.log('  Containers need root; nothing was measured.')
    return
  }
  requireWrk()
  const folder = await mkdtemp(join(parentFolder, 'ab-'))
  const host = await isolatedHost()
  const peers: Peer[] = []
  try {
    await prepareHost(host)
    const busybox = await makeBusybox(folder)
    for (const make of [atoll, dockerd, podman]) {
      const peer = make(host, folder)
      if (await prepared(peer, busybox)) peers.push(peer)
    }
    const figures = new Figures(peers.map(({ name }) => name))
    await measure(host, peers, figures, await makeBigImage(folder))
    figures.print()
  } finally {
    for (const peer of peers) await removeAll(peer).catch(() => undefined)
    for (const peer of peers) await peer.stop()
    await host.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Debian's dockerd keeps a key there, which shall not stay. */
async function prepareHost(host: IsolatedHost): Promise<void> {
  const { code } = await host.run('sh', ['-c', '[ ! -d /etc/docker ] || mount -t tmpfs tmpfs /etc/docker'])
  if (code !== 0) throw new Error('The isolated machine cannot mount.')
}

/** False, with a notice, where it cannot run; ours has to. */
async function prepared(peer: Peer, busybox: string): Promise<boolean> {
  try {
    await peer.start()
    await measures.send(peer, '/images/create?fromSrc=-&repo=busybox&tag=latest', busybox)
    await peer.cli('run', '--rm', 'busybox', 'true')
    await measures.makeFleet(peer)
    return true
  } catch (error) {
    await peer.stop().catch(() => undefined)
    if (peer.name === 'Atoll') throw error
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    console.log(`  ${peer.name} cannot run here and is left out: ${reason}`)
    return false
  }
}

/** Every measurement of a round is made of one engine after the other, so that what disturbs one disturbs all. */
async function measure(host: IsolatedHost, peers: readonly Peer[], figures: Figures, archive: string): Promise<void> {
  const each = async (work: (peer: Peer, note: (name: string, value: number | undefined) => void) => Promise<void>) => {
    for (const peer of peers) await work(peer, (name, value) => figures.note(name, peer.name, value))
  }
  for (let round = 0; round < rounds; round++) {
    await each(async (peer, note) => note('run', await measures.runByCli(peer)))
    await each(async (peer, note) => {
      for (const [name, value] of Object.entries(await measures.lives(peer))) note(name, value)
    })
    await each(async (peer, note) => note('list 1', (await measures.rate(host, peer, list, 1))?.perSecond))
    await each(async (peer, note) => note('list 8', (await measures.rate(host, peer, list, 8))?.perSecond))
    await each(async (peer, note) => {
      const inspected = await measures.rate(host, peer, '/containers/fleet-1/json', 8)
      note('inspect', inspected?.perSecond)
      note('inspect cpu', inspected?.cpuMicros)
    })
    await each(async (peer, note) => note('event', await measures.eventLatency(peer)))
    await each(async (peer, note) => note('load', await measures.loadImage(peer, archive)))
    await each(async (peer, note) => note('keeper', await measures.keeperMemory(peer)))
    await each(async (peer, note) => {
      const { start, megabytes } = await measures.restart(peer)
      note('restart', start)
      note('daemon', megabytes)
    })
  }
}

/** Killed with their machine, containers would leave their control groups behind. */
async function removeAll({ client }: Peer): Promise<void> {
  const all = await client.ask<{ Id: string }[]>('GET', '/containers/json?all=1')
  for (const { Id } of all) await client.ask('DELETE', `/containers/${Id}?force=1`)
}

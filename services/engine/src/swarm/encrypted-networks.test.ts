// Encrypted networks between machines: what is said there passes the wire, and cannot be read on it.
import { existsSync, rmSync } from 'node:fs'
import { findProgram } from '@atoll/kernel/programs/find-program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasVxlan, startNodes, type TestNode, type TestNodes } from './testing/start-nodes.ts'
import { hasEtcd } from './testing/start-swarm.ts'
import { get, idOf, join, nanos, running, serve } from './testing/swarm-calls.ts'

const canRun = hasEtcd && hasVxlan && findProgram('wg') !== undefined && findProgram('wireguard-go') !== undefined
if (!canRun) console.warn('Tests of encrypted networks are skipped: apt-get install wireguard-tools wireguard-go')

const secretWords = 'words-that-nobody-reads'
const slow = { timeout: 120_000 }

let machines: TestNodes
let manager: TestNode
let worker: TestNode

beforeAll(async () => {
  if (!canRun) return
  machines = await startNodes(2)
  ;[manager, worker] = machines.nodes as [TestNode, TestNode]
  const begun = await manager.call('POST', '/swarm/init', {
    ...{ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: manager.address },
    Spec: { Dispatcher: { HeartbeatPeriod: 3 * nanos } },
  })
  expect(begun.status, JSON.stringify(begun.body)).toBe(200)
  expect((await join(worker, manager, 'Worker')).status).toBe(200)
}, 240_000)

afterAll(() => machines?.stop(), 120_000)

/** The words travel from the task on the worker to one that asks on the manager. */
async function serveWords(name: string, network: string): Promise<string> {
  const say = `mkdir -p /www; echo ${secretWords} >/www/index.html; exec httpd -f -p 80 -h /www`
  const ContainerSpec = { Image: 'busybox', Command: ['sh', '-c', say], StopGracePeriod: 0.1 * nanos }
  const Placement = { Constraints: [`node.id==${await idOf(worker)}`] }
  const made = await serve(manager, name, {}, { ContainerSpec, Placement, Networks: [{ Target: network }] })
  expect([made.status, made.body.message]).toEqual([201, undefined])
  await running(manager, name, 1)
  return name
}

const asks = async (container: string, name: string): Promise<void> => {
  await expect
    .poll(() => manager.inside(container, `timeout 5 wget -qO- http://${name}/ || true`), { timeout: 30_000 })
    .toContain(secretWords)
}

/** Whether the words can be read on the wire of a machine while something is done. Waits for the wire to fall silent. */
async function isReadable(node: TestNode, work: () => Promise<void>): Promise<boolean> {
  const mark = `/tmp/wire-${process.pid}`
  const script = `
import os, select, socket
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
wire.bind(('eth0', 0))
open('${mark}', 'w').close()
packets = found = 0
while os.path.exists('${mark}') or select.select([wire], [], [], 0)[0]:
    if select.select([wire], [], [], 0.1)[0]:
        packets += 1
        found += b'${secretWords}' in wire.recv(65535)
print(packets > 0, found > 0)`
  const heard = node.host.run('python3', ['-c', script], { timeoutMs: 90_000 })
  await expect.poll(() => existsSync(mark), { timeout: 30_000 }).toBe(true)
  await work()
  rmSync(mark)
  const { stdout, stderr } = await heard
  expect(stdout, stderr).toMatch(/^True /)
  return stdout.includes('True True')
}

describe.skipIf(!canRun)('an encrypted network', slow, () => {
  it('carries what services say, and nobody on the wire can read it; without encryption anybody could', async () => {
    for (const [name, Options] of [
      ['open', {}],
      ['sealed', { encrypted: '' }],
    ] as const) {
      const asked = { Name: name, Driver: 'overlay', Attachable: true, Options }
      const { status, body } = await manager.call('POST', '/networks/create', asked)
      expect([status, body.message]).toEqual([201, undefined])
      await serveWords(`web-${name}`, name)
      await manager.run('1.47', `asker-${name}`, { HostConfig: { NetworkMode: name } })
    }
    expect(await isReadable(manager, () => asks('asker-open', 'web-open'))).toBe(true)
    expect(await isReadable(manager, () => asks('asker-sealed', 'web-sealed'))).toBe(false)
    expect(await manager.inside('asker-sealed', 'cat /sys/class/net/eth0/mtu')).toBe('1350\n')
    expect((await get('/networks/sealed', manager)).Options).toEqual({ encrypted: '' })
  })

  it('takes packets of any size, and none that did not come through the tunnel', async () => {
    expect(await manager.inside('asker-sealed', 'ping -c 1 -W 5 -s 4000 tasks.web-sealed')).toContain(
      '1 packets received',
    )
    const { stdout } = await worker.host.run('nft', ['list', 'ruleset'])
    expect(stdout).toMatch(/iifname != @tunnels udp dport @sealed drop/)
    expect(stdout).toMatch(/set sealed \{[^}]*elements = \{ 49789 \}/s)
  })

  it('goes on after an engine starts again, with the key that its link has', async () => {
    const keyOf = async () =>
      (await worker.host.run('sh', ['-c', 'wg show $(cd /proc/sys/net/ipv4/conf && echo wg-*) public-key'])).stdout
    const before = await keyOf()
    expect(before).toMatch(/^\S{44}$/m)
    await worker.restart()
    await asks('asker-sealed', 'web-sealed')
    expect(await keyOf()).toBe(before)
  })

  it('takes its tunnel along when the last one goes', async () => {
    for (const path of ['/services/web-sealed', '/containers/asker-sealed?force=1', '/networks/sealed']) {
      expect((await manager.call('DELETE', path)).status, path).toBeLessThan(300)
    }
    const links = async ({ host }: TestNode) => (await host.run('ip', ['-brief', 'link'])).stdout
    for (const node of machines.nodes) await expect.poll(() => links(node), { timeout: 30_000 }).not.toContain('wg-')
  })

  it('is refused as an ingress network', async () => {
    const asked = { Name: 'in', Driver: 'overlay', Ingress: true, Options: { encrypted: '' } }
    await manager.call('DELETE', '/networks/ingress')
    const { status, body } = await manager.call('POST', '/networks/create', asked)
    expect([status, body.message]).toEqual([400, expect.stringContaining('ingress network cannot be encrypted')])
  })
})

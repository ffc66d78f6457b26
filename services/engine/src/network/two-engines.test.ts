// Two engines on one machine: each has networks of its own, and takes what it made with it.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineClient } from '../testing/engine-client.ts'
import { type Calls, type IsolatedHost, isolatedHost } from '../testing/isolated.ts'
import { busybox } from '../testing/start-whole-engine.ts'

type Engine = Calls<typeof import('../testing/whole-engine.ts')>

let host: IsolatedHost
const engines: { folder: string; machine: Engine; client: EngineClient }[] = []

beforeAll(async () => {
  host = await isolatedHost()
  for (const name of ['one', 'two']) {
    const folder = mkdtempSync(join('/tmp', `ae-${name}-`))
    const machine = await host.module<Engine>(new URL('../testing/whole-engine.ts', import.meta.url))
    await machine.start(folder)
    const client = new EngineClient(join(folder, 'engine.sock'))
    const loaded = await client.call('POST', '/images/create?fromSrc=-&repo=busybox&changes=ENV%20PATH=/bin', busybox())
    expect(loaded.status).toBe(200)
    engines.push({ folder, machine, client })
  }
}, 240_000)

afterAll(async () => {
  await host?.stop()
  for (const { folder } of engines) rmSync(folder, { recursive: true, force: true })
})

const bridgeOf = async (client: EngineClient) => {
  const network = await client.ask<{ Options: Record<string, string>; IPAM: { Config: { Subnet: string }[] } }>(
    'GET',
    '/networks/bridge',
  )
  return { name: network.Options['com.docker.network.bridge.name'], subnet: network.IPAM.Config[0]?.Subnet }
}

const onHost = async (...words: string[]) => (await host.run(words[0] ?? '', words.slice(1))).stdout

describe('two engines on one machine', () => {
  it('each run containers on a bridge and a subnet of their own', async () => {
    const [one, two] = await Promise.all(engines.map(({ client }) => bridgeOf(client)))
    expect(one).toEqual({ name: 'atoll0', subnet: '172.17.0.0/16' })
    expect(two?.name).toMatch(/^atoll-[0-9a-f]{8}$/)
    expect(two?.subnet).not.toBe(one?.subnet)
    for (const { client } of engines) {
      const settings = { Image: 'busybox', Cmd: ['sleep', '600'], HostConfig: { PortBindings: {} } }
      const { Id } = await client.ask<{ Id: string }>('POST', '/containers/create?name=bridged', settings)
      expect((await client.call('POST', `/containers/${Id}/start`)).status).toBe(204)
      expect((await client.exec('bridged', ['ip', 'route'])).output).toContain('default via')
    }
  }, 120_000)

  it('pass on the packets of one another', async () => {
    await onHost('ip', 'link', 'add', 'world', 'type', 'dummy')
    for (const line of ['addr add 198.51.100.1/24 dev world', 'link set world up'])
      await onHost('ip', ...line.split(' '))
    const rules = await onHost('nft', 'list', 'ruleset')
    expect(rules.match(/iifgroup != 4213 oifgroup != 4213 drop/g)).not.toBeNull()
    expect(rules).not.toContain('iifname != @bridges drop')
    for (const { client } of engines) {
      const { name } = await bridgeOf(client)
      expect(await onHost('ip', '-d', 'link', 'show', name ?? '')).toContain('group 4213')
    }
  })

  it('keep theirs when they start again, and leave nothing when they end without containers', async () => {
    const [first, second] = engines
    const before = await bridgeOf(second!.client)
    await second!.machine.stop()
    expect(await onHost('ip', '-br', 'link')).toContain(before.name)
    await second!.machine.start(second!.folder)
    expect(await bridgeOf(second!.client)).toEqual(before)
    for (const { client, machine } of [first!, second!]) {
      expect((await client.call('DELETE', '/containers/bridged?force=1')).status).toBe(204)
      await machine.stop()
    }
    expect(await onHost('ip', '-br', 'link')).not.toMatch(/atoll/)
    expect(await onHost('nft', 'list', 'ruleset')).not.toMatch(/atoll_/)
    expect((await onHost('cat', '/proc/sys/net/ipv4/ip_forward')).trim()).toBe('0')
  }, 120_000)
})

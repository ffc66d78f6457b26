// The engine goes and comes back: containers keep their networks, and what nobody uses is swept.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoint, startMachine, type TestMachine } from './testing/start-machine.ts'

let test: TestMachine
let machine: TestMachine['machine']

beforeAll(async () => {
  test = await startMachine()
  ;({ machine } = test)
  await machine.startWorld()
})
afterAll(() => test.host.stop())

const links = () => machine.onHost('ip', '-br', 'link')
const rules = () => machine.onHost('nft', 'list', 'ruleset')

describe('after a restart of the engine', () => {
  it('containers that run have their addresses, names and ports, and the rest is swept', async () => {
    await test.call('POST', '/networks/create', { Name: 'kept', EnableIPv6: true })
    await machine.runContainer('stays', {
      endpoints: { kept: endpoint({ Aliases: ['friend'] }) },
      portBindings: { '80/tcp': [{ HostPort: '8080' }] },
    })
    await machine.runContainer('asks', { endpoints: { kept: endpoint() } })
    await machine.runContainer('goes', { portBindings: { '80/tcp': [{ HostPort: '8081' }] } })
    await machine.serve('stays', test.folder)
    const before = (await machine.endpointsOf('stays')).kept!
    await machine.crash()
    // Without the engine the port works on.
    expect(await test.fetch('world', 'http://198.51.100.1:8080/')).toBe('stays')
    machine.loseContainer('goes')
    const [, mark = ''] = /alias (atoll:[0-9a-f]+):/.exec(await machine.onHost('ip', 'link', 'show', 'atoll0')) ?? []
    await machine.onHost('ip', 'link', 'add', 'br-lost', 'type', 'bridge')
    await machine.onHost('ip', 'link', 'set', 'br-lost', 'alias', `${mark}:lost`)
    await machine.onHost('ip', 'link', 'add', 'br-foreign', 'type', 'bridge')
    await machine.start(test.folder)
    expect(await links()).not.toContain('br-lost')
    expect(await links()).toContain('br-foreign')
    expect(await rules()).not.toContain('8081')
    expect(await test.fetch('world', 'http://198.51.100.1:8080/')).toBe('stays')
    expect(await test.fetch('', 'http://[::1]:8080/')).toBe('stays')
    const gateway = before.Gateway ?? ''
    expect(await machine.inside('asks', 'busybox', 'nslookup', 'friend', gateway)).toContain(before.IPAddress)
    const { endpoints } = await machine.runContainer('new', { endpoints: { kept: endpoint() } })
    expect(endpoints.kept?.IPAddress).toBe('172.18.0.4')
    await expect(machine.runContainer('taken', { portBindings: { '80/tcp': [{ HostPort: '8080' }] } })).rejects.toThrow(
      'port is already allocated',
    )
  })

  it('a running container found again can be connected and disconnected', async () => {
    await test.call('POST', '/networks/create', { Name: 'second' })
    expect((await test.call('POST', '/networks/second/connect', { Container: 'stays' })).status).toBe(200)
    // The kernel notes in a thread of its own that a link has a carrier.
    await expect.poll(() => machine.inside('stays', 'ip', '-br', 'addr')).toMatch(/eth1@\S+ +UP +172\.19\.0\.2/)
    expect((await test.call('POST', '/networks/kept/disconnect', { Container: 'stays' })).status).toBe(200)
    expect(await machine.inside('stays', 'ip', 'route')).toContain('default via 172.19.0.1')
    expect(await test.fetch('world', 'http://198.51.100.1:8080/')).toBe('stays')
  })

  it('networks are made again after a restart of the machine', async () => {
    await machine.crash()
    for (const name of ['stays', 'asks', 'new']) machine.loseContainer(name)
    for (const name of ['atoll0', 'br-foreign']) await machine.onHost('ip', 'link', 'del', name)
    await machine.onHost('sh', '-c', 'for b in $(ip -br link | grep -o "^br-[0-9a-f]*"); do ip link del $b; done')
    await machine.onHost('nft', 'flush', 'ruleset')
    await machine.start(test.folder)
    const { endpoints } = await machine.runContainer('fresh', { endpoints: { kept: endpoint() } })
    expect(endpoints.kept?.IPAddress).toBe('172.18.0.2')
    expect((await test.call('GET', '/networks/kept')).body.EnableIPv6).toBe(true)
  })

  it('nothing is left when everything is removed', async () => {
    await machine.removeContainer('fresh')
    for (const name of ['kept', 'second']) {
      expect((await test.call('DELETE', `/networks/${name}`)).status).toBe(204)
    }
    expect(await links()).not.toMatch(/veth|br-/)
    expect(await rules()).not.toMatch(/br-|172\.18|\. 80[,\s]/)
    expect(await machine.onHost('ss', '-Hlntu', 'src 172.18.0.1 or src 172.19.0.1')).toBe('')
  })
})

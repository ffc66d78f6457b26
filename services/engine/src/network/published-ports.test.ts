// Ports of containers on the host: who reaches them, and what happens when they are taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { briefly, endpoint, startMachine, type TestMachine, unreached } from './testing/start-machine.ts'

let test: TestMachine
let machine: TestMachine['machine']

beforeAll(async () => {
  test = await startMachine()
  ;({ machine } = test)
  await machine.startWorld()
  await test.call('POST', '/networks/create', { Name: 'front' })
  await test.call('POST', '/networks/create', { Name: 'six', EnableIPv6: true })
})
afterAll(() => test.host.stop())

const udpAsk = (address: string, port: number, type: string) =>
  `const s=require('dgram').createSocket('${type}');s.on('message',(m)=>{console.log(String(m));s.close()});s.send('hi',${port},'${address}');setTimeout(()=>process.exit(28),2000).unref()`
const askUdp = (address: string, port: number, type = 'udp4') =>
  test.machine.onHost(process.execPath, '-e', udpAsk(address, port, type))

describe('a published port', () => {
  it('is reached from the host, its loopback, the world, other containers and the container itself', async () => {
    const { ports } = await machine.runContainer('web', {
      endpoints: { front: endpoint() },
      portBindings: { '80/tcp': [{ HostPort: '8080' }] },
      exposedPorts: ['80/tcp', '443/tcp'],
    })
    expect(ports).toEqual({
      '80/tcp': [
        { HostIp: '0.0.0.0', HostPort: '8080' },
        { HostIp: '::', HostPort: '8080' },
      ],
      '443/tcp': null,
    })
    await machine.serve('web', test.folder)
    await machine.runContainer('neighbour', { endpoints: { front: endpoint() } })
    await machine.runContainer('elsewhere', {})
    for (const [from, url] of [
      ['', 'http://127.0.0.1:8080/'],
      ['', 'http://198.51.100.1:8080/'],
      ['', 'http://[::1]:8080/'],
      ['', 'http://[2001:db8::1]:8080/'],
      ['world', 'http://198.51.100.1:8080/'],
      ['world', 'http://[2001:db8::1]:8080/'],
      ['web', 'http://198.51.100.1:8080/'],
      ['neighbour', 'http://198.51.100.1:8080/'],
      ['elsewhere', 'http://198.51.100.1:8080/'],
    ] as const) {
      expect(await test.fetch(from, url), `${url} from ${from || 'the host'}`).toBe('web')
    }
  })

  it('tells the container who asks from outside', async () => {
    await machine.runContainer('who', { portBindings: { '80/tcp': [{ HostPort: '8081' }] } })
    await machine.serveWhoAsks('who', 80)
    expect(await test.fetch('world', 'http://198.51.100.1:8081/')).toBe('::ffff:198.51.100.2')
  })

  it('is taken: the second container is told so, and has nothing left behind', async () => {
    const asked = { portBindings: { '80/tcp': [{ HostPort: '8090' }, { HostPort: '8080' }] } }
    await expect(machine.runContainer('late', asked)).rejects.toThrow(
      /driver failed programming external connectivity on endpoint late \([0-9a-f]{64}\): Bind for 0.0.0.0:8080 failed: port is already allocated/,
    )
    await machine.removeContainer('late')
    const { ports } = await machine.runContainer('free', { portBindings: { '80/tcp': [{ HostPort: '8090' }] } })
    expect(ports['80/tcp']?.[0]?.HostPort).toBe('8090')
    const listens = "require('net').createServer().listen(8070, '127.0.0.1', () => console.log('ready'))"
    const program = await test.host.spawn(process.execPath, ['-e', listens])
    await new Promise((resolve) => program.child.stdout?.once('data', resolve))
    await expect(machine.runContainer('late', { portBindings: { '80/tcp': [{ HostPort: '8070' }] } })).rejects.toThrow(
      'port is already allocated',
    )
    await machine.removeContainer('late')
    program.kill()
  })

  it.each(['tcp', 'udp', 'sctp'])('is given to one of those who want it at the same time (%s)', async (protocol) => {
    const asked = { portBindings: { [`80/${protocol}`]: [{ HostPort: '8100' }] } }
    const names = ['a', 'b', 'c'].map((letter) => `${protocol}-${letter}`)
    const results = await Promise.allSettled(names.map((name) => machine.runContainer(name, asked)))
    const problems = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
    expect(problems).toHaveLength(2)
    for (const problem of problems) expect(problem).toContain('port is already allocated')
    for (const name of names) await machine.removeContainer(name)
    // Free again, and again for one only.
    await machine.runContainer(`${protocol}-next`, asked)
    await machine.removeContainer(`${protocol}-next`)
  })

  it('is on one address only when asked for', async () => {
    await machine.runContainer('local', { portBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '8082' }] } })
    await machine.serve('local', test.folder)
    expect(await test.fetch('', 'http://127.0.0.1:8082/')).toBe('local')
    expect(await test.fetch('world', 'http://198.51.100.1:8082/', briefly)).toMatch(unreached)
    const { ports } = await machine.runContainer('uplink', {
      portBindings: { '80/tcp': [{ HostIp: '198.51.100.1', HostPort: '8082' }] },
    })
    await machine.serve('uplink', test.folder)
    expect(ports).toEqual({ '80/tcp': [{ HostIp: '198.51.100.1', HostPort: '8082' }] })
    expect(await test.fetch('world', 'http://198.51.100.1:8082/')).toBe('uplink')
    expect(await test.fetch('', 'http://127.0.0.1:8082/')).toBe('local')
  })

  it('goes by IPv6 to a container that has it', async () => {
    await machine.runContainer('newer', {
      endpoints: { six: endpoint() },
      portBindings: { '80/tcp': [{ HostPort: '8083' }] },
    })
    await machine.serveWhoAsks('newer', 80)
    expect(await test.fetch('world', 'http://[2001:db8::1]:8083/')).toBe('2001:db8::2')
    expect(await test.fetch('', 'http://[::1]:8083/')).not.toMatch(unreached)
  })

  it('may be UDP, and SCTP', async () => {
    const { ports } = await machine.runContainer('datagrams', {
      portBindings: { '53/udp': [{ HostPort: '5353' }], '9/sctp': [{ HostPort: '5354' }] },
    })
    await machine.serveUdp('datagrams', 53)
    expect(ports['9/sctp']?.[0]).toEqual({ HostIp: '0.0.0.0', HostPort: '5354' })
    expect(await askUdp('127.0.0.1', 5353)).toBe('echo hi\n')
    expect(await askUdp('198.51.100.1', 5353)).toBe('echo hi\n')
    expect(await askUdp('::1', 5353, 'udp6')).toBe('echo hi\n')
    expect(await machine.onHost('nft', 'list', 'ruleset')).toMatch(/sctp \. 5354 : 172\.17\.0\.\d+ \. 9/)
  })

  it('is any free one, one of a range, or all that the image exposes', async () => {
    const range = { portBindings: { '80/tcp': [{ HostPort: '9000-9001' }] } }
    const first = await machine.runContainer('range-one', range)
    const second = await machine.runContainer('range-two', range)
    expect([first, second].map(({ ports }) => ports['80/tcp']?.[0]?.HostPort)).toEqual(['9000', '9001'])
    await expect(machine.runContainer('range-three', range)).rejects.toThrow('port is already allocated')
    const all = await machine.runContainer('all', { exposedPorts: ['80/tcp', '53/udp'], publishAllPorts: true })
    expect(Number(all.ports['80/tcp']?.[0]?.HostPort)).toBeGreaterThanOrEqual(32768)
    expect(all.ports['53/udp']?.[0]?.HostPort).toBeDefined()
  })

  it('follows the container to another network, and is free after its end', async () => {
    await test.call('POST', '/networks/create', { Name: 'back' })
    expect((await test.call('POST', '/networks/back/connect', { Container: 'web' })).status).toBe(200)
    expect((await test.call('POST', '/networks/front/disconnect', { Container: 'web' })).status).toBe(200)
    expect(await test.fetch('world', 'http://198.51.100.1:8080/')).toBe('web')
    await machine.stopContainer('web')
    expect(await machine.onHost('nft', 'list', 'ruleset')).not.toContain('tcp . 8080')
    const { ports } = await machine.runContainer('next', { portBindings: { '80/tcp': [{ HostPort: '8080' }] } })
    expect(ports['80/tcp']?.[0]?.HostPort).toBe('8080')
  })

  it('comes back when somebody flushed all rules of the host', async () => {
    await machine.onHost('nft', 'flush', 'ruleset')
    await machine.runContainer('after', { portBindings: { '80/tcp': [{ HostPort: '8084' }] } })
    await machine.serve('after', test.folder)
    await machine.serve('next', test.folder)
    expect(await test.fetch('', 'http://127.0.0.1:8084/')).toBe('after')
    expect(await test.fetch('world', 'http://198.51.100.1:8080/')).toBe('next')
  })

  it("leaves the host's own rules alone, and obeys them", async () => {
    await machine.onHost('nft', 'add table inet own')
    await machine.onHost('nft', 'add chain inet own f { type filter hook forward priority 10 ; }')
    await machine.onHost(
      'nft',
      'add rule inet own f meta l4proto tcp ct original proto-dst 8080 ip saddr 198.51.100.2 drop',
    )
    expect(await test.fetch('world', 'http://198.51.100.1:8080/', briefly)).toMatch(unreached)
    expect(await test.fetch('world', 'http://198.51.100.1:8084/')).toBe('after')
    await machine.removeContainer('after')
    expect(await machine.onHost('nft', 'list table inet own')).toContain('ct original proto-dst 8080')
  })
})

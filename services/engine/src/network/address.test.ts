import { describe, expect, it } from 'vitest'
import { contains, formatAddress, formatSubnet, overlaps, parseAddress, parseSubnet } from './address.ts'
import { freeSubnet, privatePool6 } from './address-pools.ts'
import { hardwareAddressOf, readHardwareAddress } from './hardware-address.ts'
import { hostsFile } from './hosts-file.ts'
import { Leases } from './leases.ts'
import { readHostPorts, readPort } from './port-bindings.ts'
import { readResolvConf } from './resolv-conf.ts'

const written = (text: string): string | undefined => {
  const address = parseAddress(text)
  return address === undefined ? undefined : formatAddress(address)
}

describe('addresses', () => {
  it('are read and written in their short form', () => {
    expect(['10.0.0.1', '::', '::1', '2001:DB8:0:0:1:0:0:1', 'fe80::1:2', '::ffff:10.0.0.1'].map(written)).toEqual([
      '10.0.0.1',
      '::',
      '::1',
      '2001:db8::1:0:0:1',
      'fe80::1:2',
      '::ffff:a00:1',
    ])
    expect(['', '10.0.0', '10.0.0.256', '1::2::3', 'fe80::1%eth0', '10.0.0.1/8'].map(written)).toEqual(
      Array.from({ length: 6 }, () => undefined),
    )
  })

  it('belong to subnets', () => {
    const subnet = parseSubnet('10.1.2.3/16')!
    expect([formatSubnet(subnet), subnet.isExact]).toEqual(['10.1.0.0/16', false])
    expect(contains(subnet, parseAddress('10.1.255.255')!)).toBe(true)
    expect(contains(subnet, parseAddress('10.2.0.0')!)).toBe(false)
    expect(overlaps(subnet, parseSubnet('10.0.0.0/8')!)).toBe(true)
    expect(overlaps(subnet, parseSubnet('::/0')!)).toBe(false)
    expect(['10.0.0.0/33', '10.0.0.0', 'x/8', '::/129'].map(parseSubnet)).toEqual(
      Array.from({ length: 4 }, () => undefined),
    )
  })

  it('are given out from the lowest on, and again when they are free', () => {
    const subnet = parseSubnet('10.0.0.0/29')!
    const leases = new Leases(subnet, subnet, [parseAddress('10.0.0.1')!])
    const given = Array.from({ length: 6 }, () => leases.takeAny())
    expect(given).toEqual(['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6', undefined])
    leases.release(parseAddress('10.0.0.4')!)
    expect(leases.take(parseAddress('10.0.0.3')!)).toBe(false)
    expect(leases.takeAny()).toBe('10.0.0.4')
  })

  it('of networks come from pools that touch nothing else', () => {
    const pool = privatePool6('0123456789')
    expect(freeSubnet([pool], 6, [])).toBe('fd01:2345:6789::/64')
    expect(freeSubnet([pool], 6, [parseSubnet('fd01:2345:6789::/64')!])).toBe('fd01:2345:6789:1::/64')
    expect(freeSubnet([pool], 4, [])).toBeUndefined()
  })
})

describe('what people write', () => {
  it('is read as hardware addresses', () => {
    expect(['02:42:AC:11:00:02', '02-42-ac-11-00-02', '0242.ac11.0002'].map(readHardwareAddress)).toEqual(
      Array.from({ length: 3 }, () => '02:42:ac:11:00:02'),
    )
    expect(['01:00:00:00:00:00', '00:00:00:00:00:00', '02:42', 'x'].map(readHardwareAddress)).toEqual(
      Array.from({ length: 4 }, () => undefined),
    )
    expect(hardwareAddressOf('172.17.0.2')).toBe('02:42:ac:11:00:02')
  })

  it('is read as ports', () => {
    expect(readPort('80')).toEqual({ port: 80, protocol: 'tcp', name: '80/tcp' })
    expect(readPort('53/UDP')?.name).toBe('53/udp')
    expect(['0', '65536', '80/icmp', 'http', ''].map(readPort)).toEqual(Array.from({ length: 5 }, () => undefined))
    expect([readHostPorts(''), readHostPorts('8000-8010'), readHostPorts('9-8'), readHostPorts('x')]).toEqual([
      [0, 0],
      [8000, 8010],
      undefined,
      undefined,
    ])
  })

  it('is read as settings of the resolver', () => {
    const text = '# c\nnameserver 127.0.0.53\nnameserver x\ndomain a\nsearch b c\noptions edns0 ndots:2\n'
    expect(readResolvConf(text)).toEqual({ servers: ['127.0.0.53'], search: ['b', 'c'], options: ['edns0', 'ndots:2'] })
  })

  it('is written into the hosts file', () => {
    const text = hostsFile({
      hostname: 'web',
      domainname: 'test',
      addresses: ['172.17.0.2'],
      extraHosts: ['api:10.0.0.1', 'host.docker.internal:host-gateway', 'six=[::1]'],
      hostGateway: '172.17.0.1',
      links: [{ address: '172.17.0.9', names: ['db', 'db', 'abc'] }],
    })
    expect(text.split('\n').slice(-6)).toEqual([
      '10.0.0.1\tapi',
      '172.17.0.1\thost.docker.internal',
      '::1\tsix',
      '172.17.0.9\tdb abc',
      '172.17.0.2\tweb.test web',
      '',
    ])
  })
})

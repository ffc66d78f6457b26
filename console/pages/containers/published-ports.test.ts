import { expect, it } from 'vitest'
import { portsOf } from './published-ports.ts'

it('reads pairs of ports', () => {
  expect(portsOf(' 8081:80, 5353:53/udp 9090:80 ')).toEqual({
    ExposedPorts: { '80/tcp': {}, '53/udp': {} },
    PortBindings: { '80/tcp': [{ HostPort: '8081' }, { HostPort: '9090' }], '53/udp': [{ HostPort: '5353' }] },
  })
  expect(portsOf('')).toEqual({ ExposedPorts: {}, PortBindings: {} })
})

it.each(['80', '80:', '0:80', '80:70000', '80:80/sctp', 'a:b'])('says what is wrong with %s', (text) => {
  expect(() => portsOf(text)).toThrow(/is no pair of ports/)
})

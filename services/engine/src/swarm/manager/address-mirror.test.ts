// Who has which address when several want one at once.
import { expect, it } from 'vitest'
import { LiveNetwork } from '../../network/live-network.ts'
import type { NetworkRecord } from '../../network/network-record.ts'
import type { KeptNetwork } from '../store/objects.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import { AddressMirror } from './address-mirror.ts'

const record: NetworkRecord = {
  ...{ id: 'over', name: 'over', created: '', driver: 'overlay', enableIPv6: false, internal: false, attachable: true },
  ipam: { driver: 'default', options: null, config: [{ Subnet: '10.0.1.0/24', Gateway: '10.0.1.1' }] },
  ...{ chosenSubnets: [], options: {}, labels: {}, configOnly: false, configFrom: '' },
}

function mirrorOf(network: LiveNetwork, kept: { networks: KeptNetwork[] }): AddressMirror {
  const all = (kind: string) => (kind === 'network' ? kept.networks : [])
  const store = { all, listen: () => () => undefined } as unknown as SwarmStore
  return new AddressMirror({ store, network: () => network })
}

it('an address that was not written is given again, unless somebody else has it by now', () => {
  const network = new LiveNetwork(record)
  const kept: { networks: KeptNetwork[] } = { networks: [] }
  const mirror = mirrorOf(network, kept)
  const leases = network.subnet4!.leases
  const [first, second] = [leases.reserveAny()!, leases.reserveAny()!]
  // While these were on their way to the store, a node got the first one there.
  kept.networks = [{ ID: 'over', gateways: { node: first } } as unknown as KeptNetwork]
  mirror.giveBack([
    ['over', first],
    ['over', second],
  ])
  expect(leases.reserveAny()).toBe(second)
  expect(leases.reserveAny()).not.toBe(first)
})

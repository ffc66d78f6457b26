// Which containers cannot be put on a further network, because of how they are networked already.
import { forbidden } from '../../errors.ts'
import type { NetworkRecord } from '../../network/network-record.ts'

export const hostWords = 'container cannot be disconnected from host network or connected to host network'
const sharedWords =
  'container sharing network namespace with another container or host cannot be connected to any other network'
const privateWords =
  'container cannot be connected to multiple networks with one of the networks in private (none) mode'

/** `mode`: HostConfig's. `isOn`: whether the container is on a network of that name. */
export function checkMode(mode: string | undefined, { driver }: NetworkRecord, isOn: (name: string) => boolean): void {
  if (mode === 'host' || isOn('host') || driver === 'host') throw forbidden(hostWords)
  if (mode?.startsWith('container:') === true) throw forbidden(sharedWords)
  if (isOn('none') || driver === 'null') throw forbidden(privateWords)
}

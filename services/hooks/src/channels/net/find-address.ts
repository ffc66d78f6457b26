// From a host's name to the one address that is connected to: looked up once, judged, and used as it was judged.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { NotSent } from '../channel.ts'
import type { AllowedAddresses } from './private-addresses.ts'

export type FindAddress = (host: string) => Promise<string>

export const addressFinder =
  (allowed: AllowedAddresses): FindAddress =>
  async (host) => {
    const bare = host.replace(/^\[(.*)\]$/, '$1')
    const addresses = isIP(bare) === 0 ? await addressesOf(bare) : [bare]
    const usable = addresses.find((address) => allowed.admits(bare, address))
    if (usable !== undefined) return usable
    const advice = 'add it to channels.allowPrivateAddresses if that is meant'
    throw new NotSent(`${bare} is a private address (${addresses[0]}): ${advice}`, { forGood: true })
  }

async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address)
  } catch (cause) {
    throw new NotSent(`There is no address for ${name}.`, { cause })
  }
}

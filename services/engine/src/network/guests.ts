// Containers on networks of a swarm that other machines manage: those give out the addresses there.
import type { NetworkedContainer } from './networking.ts'

export interface Guests {
  /** The network is here then, with an address for the container. Nothing, where this machine gives addresses itself. */
  admit(container: Pick<NetworkedContainer, 'id' | 'name'>, network: string, wanted: string | undefined): Promise<void>
  /** That it was given; undefined: this machine gives one. */
  address(containerId: string, networkId: string): string | undefined
  /** What it was given and is not using is given back. */
  settle(containerId: string): void
}

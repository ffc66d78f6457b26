// The network that services need to publish ports: a swarm begins with one.
import type { Log } from '@atoll/kernel/telemetry/log'
import { CreateNetwork } from './schema.ts'
import type { Networks } from './service.ts'

const ingress = CreateNetwork.parse({ Name: 'ingress', Driver: 'overlay', Ingress: true })

export async function makeIngress(networks: Networks, log: Log): Promise<void> {
  if (networks.ingressId() !== undefined) return
  await networks
    .create(ingress)
    .catch((error: Error) =>
      log.warn({ error: error.message }, 'the swarm has no ingress network: services cannot publish ports'),
    )
}

// Swarms, nodes, secrets and configs.
import type { RouteName } from '../change.ts'
import type { Boundary } from './boundary.ts'
import { type Proof, proof } from './proof.ts'

const init = 'POST /swarm/init'
const families = ['secrets', 'configs'] as const

async function isNew(at: Boundary, family: (typeof families)[number]): Promise<void> {
  const routes: RouteName[] = [`GET /${family}`, `GET /${family}/:id`, `POST /${family}/create`]
  for (const route of routes) await at.status(route, 404, 200)
}

async function isField(at: Boundary, name: string): Promise<void> {
  for (const family of families) {
    await at.takes(`POST /${family}/create`, name, { Name: 'x' })
    await at.shows(`GET /${family}/:id`, `Spec.${name}`)
    await at.shows(`GET /${family}`, `0.Spec.${name}`)
  }
}

export const swarmProofs: Record<string, Proof> = {
  'There are secrets.': proof('', (at) => isNew(at, 'secrets')),
  'There are configs.': proof('', (at) => isNew(at, 'configs')),
  'Nodes tell their address.': proof('', async (at) => {
    await at.shows('GET /nodes', '0.Status.Addr')
    await at.shows('GET /nodes/:id', 'Status.Addr')
  }),
  'A swarm tells its authority, and takes another one.': proof('', async (at) => {
    await at.shows('GET /swarm', 'TLSInfo', 'RootRotationInProgress')
    for (const name of ['SigningCACert', 'SigningCAKey', 'ForceRotate']) {
      await at.takes('POST /swarm/update', `CAConfig.${name}`, 'x')
    }
  }),
  'Nodes tell the authority of their swarm.': proof('', async (at) => {
    await at.shows('GET /nodes', '0.Description.TLSInfo')
    await at.shows('GET /nodes/:id', 'Description.TLSInfo')
  }),
  'Networks of a swarm may go by an address of their own.': proof('', async (at) => {
    for (const route of [init, 'POST /swarm/join'] as const) await at.takes(route, 'DataPathAddr', 'eth1')
  }),
  'What callers of a swarm do wrong is told as such; it was told as a fault.': proof('', (at) =>
    at.way('swarm-refusals-are-faults', 'POST /secrets/create'),
  ),
  'Secrets may come from elsewhere.': proof('', (at) => isField(at, 'Driver')),
  'Secrets and configs may be templates.': proof('', (at) => isField(at, 'Templating')),
  'A swarm is told where its networks get their subnets from.': proof('', async (at) => {
    await at.takes(init, 'DefaultAddrPool', ['10.0.0.0/8'])
    await at.takes(init, 'SubnetSize', 24)
    await at.shows('GET /swarm', 'DefaultAddrPool', 'SubnetSize')
  }),
  'A swarm has a port for the data of its networks.': proof('', async (at) => {
    for (const route of [init, 'POST /swarm/join'] as const) await at.takes(route, 'DataPathPort', 4789)
    await at.shows('GET /swarm', 'DataPathPort')
  }),
  'Nodes can be filtered by their labels.': proof('', (at) => at.filters('GET /nodes', 'node.label', 'node.label!')),
}

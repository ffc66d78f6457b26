// What versions changed of swarms, nodes, secrets and configs.
import type { Change, RouteName } from './change.ts'
import { without, withoutFilters } from './shape.ts'

const nodes: RouteName[] = ['GET /nodes', 'GET /nodes/:id']

const readsOf = (family: 'secrets' | 'configs'): RouteName[] => [`GET /${family}`, `GET /${family}/:id`]
const changesOf = (family: 'secrets' | 'configs'): RouteName[] => [
  `POST /${family}/create`,
  `DELETE /${family}/:id`,
  `POST /${family}/:id/update`,
]

/** Neither taken from older callers nor shown to them. */
const newField = (
  change: Pick<Change, 'since' | 'summary' | 'requirements'>,
  families: readonly ('secrets' | 'configs')[],
  name: string,
): Change => ({
  ...change,
  routes: families.flatMap((family) => [...readsOf(family), ...changesOf(family)]),
  body: without(name),
  answer: without(`Spec.${name}`, `[].Spec.${name}`),
})

export const swarmChanges: readonly Change[] = [
  {
    since: '1.25',
    summary: 'There are secrets.',
    requirements: ['ENG-491', 'ENG-492', 'ENG-493', 'ENG-494', 'ENG-495'],
    routes: [...readsOf('secrets'), ...changesOf('secrets')],
    isNew: true,
  },
  {
    since: '1.25',
    summary: 'Nodes tell their address.',
    requirements: ['ENG-617'],
    routes: nodes,
    answer: without('Status.Addr', '[].Status.Addr'),
  },
  {
    since: '1.30',
    summary: 'There are configs.',
    requirements: [],
    routes: [...readsOf('configs'), ...changesOf('configs')],
    isNew: true,
  },
  {
    since: '1.30',
    summary: 'A swarm tells its authority, and takes another one.',
    requirements: ['ENG-625', 'ENG-626', 'ENG-627', 'ENG-628'],
    routes: ['GET /swarm', 'POST /swarm/update'],
    body: without('CAConfig.SigningCACert', 'CAConfig.SigningCAKey', 'CAConfig.ForceRotate'),
    answer: without('TLSInfo', 'RootRotationInProgress', 'Spec.CAConfig.ForceRotate'),
  },
  {
    since: '1.30',
    summary: 'Nodes tell the authority of their swarm.',
    requirements: ['ENG-616'],
    routes: nodes,
    answer: without('Description.TLSInfo', '[].Description.TLSInfo'),
  },
  {
    since: '1.30',
    summary: 'Networks of a swarm may go by an address of their own.',
    requirements: ['ENG-629', 'ENG-630'],
    routes: ['POST /swarm/init', 'POST /swarm/join'],
    body: without('DataPathAddr'),
  },
  {
    since: '1.31',
    summary: 'What callers of a swarm do wrong is told as such; it was told as a fault.',
    requirements: ['ENG-496', 'ENG-497', 'ENG-501', 'ENG-615'],
    routes: [...changesOf('secrets'), ...changesOf('configs'), 'POST /nodes/:id/update'],
    way: 'swarm-refusals-are-faults',
  },
  newField(
    { since: '1.31', summary: 'Secrets may come from elsewhere.', requirements: ['ENG-498', 'ENG-499', 'ENG-500'] },
    ['secrets', 'configs'],
    'Driver',
  ),
  newField(
    {
      since: '1.37',
      summary: 'Secrets and configs may be templates.',
      requirements: ['ENG-503', 'ENG-504', 'ENG-505', 'ENG-506'],
    },
    ['secrets', 'configs'],
    'Templating',
  ),
  {
    since: '1.39',
    summary: 'A swarm is told where its networks get their subnets from.',
    requirements: ['ENG-623', 'ENG-624'],
    routes: ['POST /swarm/init', 'GET /swarm'],
    body: without('DefaultAddrPool', 'SubnetSize'),
    answer: without('DefaultAddrPool', 'SubnetSize'),
  },
  {
    since: '1.40',
    summary: 'A swarm has a port for the data of its networks.',
    requirements: ['ENG-620', 'ENG-621', 'ENG-622'],
    routes: ['POST /swarm/init', 'POST /swarm/join', 'GET /swarm'],
    body: without('DataPathPort'),
    answer: without('DataPathPort'),
  },
  {
    since: '1.40',
    summary: 'Nodes can be filtered by their labels.',
    requirements: ['ENG-611', 'ENG-612', 'ENG-613', 'ENG-614'],
    routes: ['GET /nodes'],
    query: withoutFilters('node.label', 'node.label!'),
  },
]

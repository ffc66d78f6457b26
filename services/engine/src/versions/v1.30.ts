// What version 1.30 changed.
import type { Change } from './change.ts'
import { isEntry, without, withoutFilters, withoutQuery } from './shape.ts'

const since = '1.30'
const swarmTypes = ['service', 'node', 'secret']

export const changes: readonly Change[] = [
  {
    since,
    summary: 'The engine tells its log drivers and the authority of its swarm.',
    requirements: ['ENG-052', 'ENG-053', 'ENG-054'],
    routes: ['GET /info'],
    answer: without('Plugins.Log', 'Swarm.Cluster.TLSInfo'),
  },
  {
    since,
    summary: 'Images can be looked at in their registry.',
    requirements: ['ENG-719', 'ENG-720'],
    routes: ['GET /distribution/:name/json'],
    isNew: true,
  },
  {
    since,
    summary: 'Waiting takes a condition, and its answer begins at once; it began with the end.',
    requirements: ['ENG-311', 'ENG-312', 'ENG-313', 'ENG-314'],
    routes: ['POST /containers/:id/wait'],
    query: withoutQuery('condition'),
    way: 'wait-answers-late',
  },
  {
    since,
    summary: 'There are events of swarms, and events tell their scope.',
    requirements: ['ENG-658', 'ENG-661', 'ENG-664', 'ENG-667'],
    routes: ['GET /events'],
    way: 'events-before-1.30',
    item: (event) => (isEntry(event) && isOfSwarm(event) ? undefined : without('scope')(event)),
  },
  {
    since,
    summary: 'Events can be filtered by scope.',
    requirements: ['ENG-668', 'ENG-669'],
    routes: ['GET /events'],
    query: withoutFilters('scope'),
  },
  {
    since,
    summary: 'Owners of files put into a container can be kept.',
    requirements: ['ENG-342'],
    routes: ['PUT /containers/:id/archive'],
    query: withoutQuery('copyUIDGID'),
  },
  {
    since,
    summary: 'A build tells the id of each image it makes.',
    requirements: ['ENG-417', 'ENG-418'],
    routes: ['POST /build'],
    way: 'build-before-1.30',
    item: (message) => (isEntry(message) && 'aux' in message ? undefined : message),
  },
]

const isOfSwarm = ({ Type: type, Action: action, scope }: Record<string, unknown>): boolean =>
  swarmTypes.includes(String(type)) || (type === 'network' && action === 'remove' && scope === 'swarm')

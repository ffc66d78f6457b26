// What version 1.41 changed.
import type { Change, Query } from './change.ts'
import { create, newHostConfig } from './container-fields.ts'
import { inTurn, isEntry, withDefaults, withFilters, without, withoutQuery } from './shape.ts'

const since = '1.41'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'There are events for removing what is not used.',
    requirements: ['ENG-644', 'ENG-645', 'ENG-646', 'ENG-647', 'ENG-648', 'ENG-649'],
    routes: ['GET /events'],
    way: 'events-before-1.41',
    item: (event) => (isEntry(event) && event.Action === 'prune' ? undefined : event),
  },
  {
    since,
    summary: 'The engine tells its cgroups, address pools and system version, and leaves out what it has not.',
    requirements: ['ENG-041', 'ENG-042', 'ENG-043', 'ENG-044', 'ENG-045', 'ENG-077'],
    routes: ['GET /info'],
    answer: inTurn(
      without('CgroupVersion', 'DefaultAddressPools', 'OSVersion'),
      withDefaults('', { SystemStatus: null, ClusterStore: '', ClusterAdvertise: '' }),
    ),
  },
  {
    since,
    summary: 'Images are filtered by reference; there was a parameter of its own for it.',
    requirements: ['ENG-395', 'ENG-396'],
    routes: ['GET /images/json'],
    query: filterAsReference,
    laterQuery: withoutQuery('filter'),
  },
  {
    since,
    summary: 'Containers can be made for a platform.',
    requirements: ['ENG-127', 'ENG-128', 'ENG-129', 'ENG-130'],
    routes: [create],
    query: withoutQuery('platform'),
  },
  newHostConfig(
    {
      since,
      summary: 'Containers can have a cgroup namespace of their own.',
      requirements: ['ENG-133', 'ENG-134', 'ENG-244'],
    },
    'CgroupnsMode',
  ),
  {
    since,
    summary: 'Stats can be asked for at once, without a second look.',
    requirements: ['ENG-333', 'ENG-334'],
    routes: ['GET /containers/:id/stats'],
    query: withoutQuery('one-shot'),
  },
]

function filterAsReference(query: Query): Query {
  const { filter } = query
  delete query.filter
  if (typeof filter !== 'string' || filter === '') return query
  return withFilters((filters) => {
    filters.reference = [...(filters.reference ?? []), filter]
  })(query)
}

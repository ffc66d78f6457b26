// What version 1.29 changed.
import { invalidParameter } from '../errors.ts'
import type { Change } from './change.ts'
import { withFilters, without, withoutFilters } from './shape.ts'

const since = '1.29'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'A network may be the one that takes requests for a swarm.',
    requirements: ['ENG-447', 'ENG-449'],
    routes: ['POST /networks/create', 'GET /networks', 'GET /networks/:id'],
    body: without('Ingress'),
    answer: without('Ingress', '[].Ingress'),
  },
  {
    since,
    summary: 'Networks can be filtered by scope.',
    requirements: ['ENG-450'],
    routes: ['GET /networks'],
    query: withoutFilters('scope'),
  },
  {
    since,
    summary: 'What is removed because it is not used can be filtered by label.',
    requirements: ['ENG-701', 'ENG-703', 'ENG-705', 'ENG-707', 'ENG-709', 'ENG-711', 'ENG-713', 'ENG-715'],
    routes: ['POST /containers/prune', 'POST /images/prune', 'POST /volumes/prune', 'POST /networks/prune'],
    // Passing a filter over would remove more than was asked for.
    query: withFilters((filters) => {
      for (const name of ['label', 'label!']) {
        if (filters[name] !== undefined) throw invalidParameter(`invalid filter '${name}'`)
      }
    }),
  },
]

// What version 1.33 changed.
import type { Change } from './change.ts'
import { withoutFilters } from './shape.ts'

export const changes: readonly Change[] = [
  {
    since: '1.33',
    summary: 'Events can be filtered by config, node, secret and service.',
    requirements: ['ENG-651', 'ENG-652', 'ENG-653', 'ENG-654'],
    routes: ['GET /events'],
    query: withoutFilters('config', 'node', 'secret', 'service'),
  },
]

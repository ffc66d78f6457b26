// What version 1.20 changed.
import type { Change } from './change.ts'
import { newHostConfig } from './container-fields.ts'

const since = '1.20'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Files are copied out of containers and into them as archives.',
    requirements: ['ENG-340', 'ENG-341'],
    routes: ['GET /containers/:id/archive', 'PUT /containers/:id/archive'],
    isNew: true,
  },
  newHostConfig(
    { since, summary: 'Processes of containers have further groups.', requirements: ['ENG-198', 'ENG-265'] },
    'GroupAdd',
  ),
]

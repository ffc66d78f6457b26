// What version 1.27 changed.
import type { Change } from './change.ts'
import { without } from './shape.ts'

export const changes: readonly Change[] = [
  {
    since: '1.27',
    summary: 'Stats tell how many CPUs are online.',
    requirements: ['ENG-335', 'ENG-336'],
    routes: ['GET /containers/:id/stats'],
    way: 'stats-without-online-cpus',
    item: without('cpu_stats.online_cpus', 'precpu_stats.online_cpus'),
  },
]

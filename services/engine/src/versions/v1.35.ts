// What version 1.35 changed.
import type { Change } from './change.ts'
import { without, withoutQuery } from './shape.ts'

const since = '1.35'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Logs can be asked for until a time.',
    requirements: ['ENG-321'],
    routes: ['GET /containers/:id/logs'],
    query: withoutQuery('until'),
  },
  {
    since,
    summary: 'Processes in a container can start in a folder.',
    requirements: ['ENG-348'],
    routes: ['POST /containers/:id/exec'],
    body: without('WorkingDir'),
  },
  {
    since,
    summary: 'The engine tells its platform and the parts it is made of.',
    requirements: ['ENG-092', 'ENG-093'],
    routes: ['GET /version'],
    answer: without('Platform', 'Components'),
  },
]

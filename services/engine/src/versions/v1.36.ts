// What version 1.36 changed.
import type { Change } from './change.ts'
import { isEntry } from './shape.ts'

export const changes: readonly Change[] = [
  {
    since: '1.36',
    summary: 'There is an event for the end of a process in a container.',
    requirements: ['ENG-650'],
    routes: ['GET /events'],
    way: 'events-before-1.36',
    item: (event) => (isEntry(event) && event.Action === 'exec_die' ? undefined : event),
  },
]

// What version 1.34 changed.
import type { Change } from './change.ts'
import { without } from './shape.ts'

export const changes: readonly Change[] = [
  {
    since: '1.34',
    summary: 'Waiting for a removal also ends when it fails, and tells why.',
    requirements: ['ENG-315', 'ENG-316', 'ENG-317', 'ENG-318'],
    routes: ['POST /containers/:id/wait'],
    way: 'wait-without-error',
    item: without('Error'),
    answer: without('Error'),
  },
]

// What version 1.39 changed.
import type { Change } from './change.ts'
import { at, without } from './shape.ts'

const since = '1.39'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'What is not known of the host is empty; it was written as unknown.',
    requirements: ['ENG-050', 'ENG-051'],
    routes: ['GET /info'],
    answer: at('', (info) => {
      for (const name of ['KernelVersion', 'OperatingSystem']) if (info[name] === '') info[name] = '<unknown>'
    }),
  },
  {
    since,
    summary: 'The engine tells its licence and its warnings.',
    requirements: ['ENG-048', 'ENG-049'],
    routes: ['GET /info'],
    answer: without('ProductLicense', 'Warnings'),
  },
  {
    since,
    summary: 'Sessions are no experiment any more.',
    requirements: ['ENG-721', 'ENG-722', 'ENG-723'],
    routes: ['POST /session'],
    way: 'session-is-experimental',
  },
]

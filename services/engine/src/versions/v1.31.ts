// What version 1.31 changed.
import type { Change } from './change.ts'
import { isEntry, without, withoutQuery } from './shape.ts'

const since = '1.31'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'A network can be asked for in one scope.',
    requirements: ['ENG-443', 'ENG-444', 'ENG-445'],
    routes: ['GET /networks/:id'],
    query: withoutQuery('scope'),
  },
  {
    since,
    summary: 'Volumes tell when they were made.',
    requirements: ['ENG-481', 'ENG-482', 'ENG-693'],
    routes: ['GET /volumes', 'GET /volumes/:name', 'POST /volumes/create', 'GET /system/df'],
    answer: without('CreatedAt', 'Volumes.[].CreatedAt'),
  },
  {
    since,
    summary: 'An image tells when it was tagged last.',
    requirements: ['ENG-400'],
    routes: ['GET /images/:name/json'],
    answer: without('Metadata'),
  },
  {
    since,
    summary: 'What builds keep can be removed.',
    requirements: [],
    routes: ['POST /build/prune'],
    isNew: true,
  },
  {
    since,
    summary: 'Clients can offer something to builds.',
    requirements: ['ENG-724'],
    routes: ['POST /session'],
    isNew: true,
  },
  {
    since,
    summary: 'There are events of configs.',
    requirements: ['ENG-655', 'ENG-656', 'ENG-657'],
    routes: ['GET /events'],
    way: 'events-before-1.31',
    item: (event) => (isEntry(event) && event.Type === 'config' ? undefined : event),
  },
]

// What version 1.28 changed.
import type { Change } from './change.ts'
import { list, newHostConfig, update } from './container-fields.ts'
import { without, withoutFilters, withoutQuery } from './shape.ts'

const since = '1.28'

export const changes: readonly Change[] = [
  newHostConfig(
    {
      since,
      summary: 'Mounts say how consistent they have to be.',
      requirements: ['ENG-149', 'ENG-150', 'ENG-151', 'ENG-152', 'ENG-249'],
    },
    'Mounts.[].Consistency',
  ),
  newHostConfig(
    { since, summary: 'Containers have rules for devices.', requirements: ['ENG-153', 'ENG-250'] },
    'DeviceCgroupRules',
  ),
  {
    since,
    summary: 'A network can be asked for with its services and tasks.',
    requirements: ['ENG-451', 'ENG-452'],
    routes: ['GET /networks/:id'],
    query: withoutQuery('verbose'),
  },
  {
    since,
    summary: 'Attached WebSockets send binary frames; they sent text frames.',
    requirements: ['ENG-331', 'ENG-332'],
    routes: ['GET /containers/:id/attach/ws'],
    way: 'ws-text-frames',
  },
  {
    since,
    summary: 'Lists of networks are without their containers; they had them.',
    requirements: ['ENG-453', 'ENG-454'],
    routes: ['GET /networks'],
    way: 'networks-with-containers',
  },
  {
    since,
    summary: 'Containers can be filtered by published and exposed ports.',
    requirements: ['ENG-278', 'ENG-279'],
    routes: [list],
    query: withoutFilters('publish', 'expose'),
  },
  {
    since,
    summary: 'CPU limits in parts of a CPU can be changed.',
    requirements: ['ENG-305'],
    routes: [update],
    body: without('NanoCpus'),
  },
  {
    since,
    summary: 'Builds take names of further hosts.',
    requirements: ['ENG-419'],
    routes: ['POST /build'],
    query: withoutQuery('extrahosts'),
  },
]

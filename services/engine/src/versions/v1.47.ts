// What version 1.47 changed.
import type { Change } from './change.ts'
import { create } from './container-fields.ts'
import { without, withoutQuery } from './shape.ts'

const since = '1.47'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Lists of images tell what each is made of when asked.',
    requirements: ['ENG-357', 'ENG-358'],
    routes: ['GET /images/json'],
    query: withoutQuery('manifests'),
    answer: without('[].Manifests'),
  },
  {
    since,
    summary: 'Kernel parameters of an interface are those of its endpoint; they were among those of the container.',
    requirements: ['ENG-105'],
    routes: [create],
    way: 'interface-sysctls',
  },
]

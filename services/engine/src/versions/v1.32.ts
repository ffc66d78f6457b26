// What version 1.32 changed.
import type { Change } from './change.ts'
import { create } from './container-fields.ts'
import { at, withoutQuery } from './shape.ts'

const since = '1.32'
const newModes = ['private', 'shareable', 'none']

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Images can be pulled and imported for a platform.',
    requirements: ['ENG-397', 'ENG-398', 'ENG-399'],
    routes: ['POST /images/create'],
    // Importing has looked at it for all versions since (ENG-392).
    query: (query) => (query.fromSrc === undefined ? withoutQuery('platform')(query) : query),
  },
  {
    since,
    summary: 'Shared memory of a container can be private, shareable or none at all.',
    requirements: ['ENG-146', 'ENG-147', 'ENG-148', 'ENG-248'],
    routes: [create],
    body: at('HostConfig', (hostConfig) => {
      if (newModes.includes(String(hostConfig.IpcMode))) delete hostConfig.IpcMode
    }),
  },
]

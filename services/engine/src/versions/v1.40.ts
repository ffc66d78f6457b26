// What version 1.40 changed.
import type { Change } from './change.ts'
import { create, newHostConfig, update } from './container-fields.ts'
import { at, isEntry, without, withoutFilters, withoutQuery } from './shape.ts'

const since = '1.40'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Networks can be filtered by whether they are used.',
    requirements: ['ENG-438', 'ENG-439', 'ENG-440', 'ENG-441'],
    routes: ['GET /networks'],
    query: withoutFilters('dangling'),
  },
  newHostConfig(
    { since, summary: 'Bind mounts may leave out what is mounted below.', requirements: ['ENG-139', 'ENG-224'] },
    'Mounts.[].BindOptions.NonRecursive',
  ),
  newHostConfig(
    { since, summary: 'Containers can ask for devices by what they can do.', requirements: ['ENG-140', 'ENG-245'] },
    'DeviceRequests',
  ),
  newHostConfig(
    { since, summary: 'Containers have a limit of memory for TCP.', requirements: ['ENG-141', 'ENG-246'] },
    'KernelMemoryTCP',
  ),
  {
    since,
    summary: 'Shared memory of a container is private unless asked for otherwise; it was shareable.',
    requirements: ['ENG-142', 'ENG-144', 'ENG-247'],
    routes: [create],
    body: at('', (asked) => {
      const hostConfig = isEntry(asked.HostConfig) ? asked.HostConfig : {}
      asked.HostConfig = { ...hostConfig, IpcMode: hostConfig.IpcMode || 'shareable' }
    }),
  },
  {
    since,
    summary: 'The number of processes of a container can be changed.',
    requirements: ['ENG-306'],
    routes: [update],
    body: without('PidsLimit'),
  },
  {
    since,
    summary: 'The engine tells whether processes can be limited in number, and the data port of its swarm.',
    requirements: ['ENG-046', 'ENG-047'],
    routes: ['GET /info'],
    answer: without('PidsLimit', 'Swarm.Cluster.DataPathPort'),
  },
  {
    since,
    summary: 'Builds take outputs.',
    requirements: ['ENG-416'],
    routes: ['POST /build'],
    query: withoutQuery('outputs'),
  },
]

// What version 1.46 changed.
import type { Change } from './change.ts'
import { create, list, newHostConfig } from './container-fields.ts'
import { at, type Entry, inTurn, isEntry, without, withoutQuery } from './shape.ts'

const since = '1.46'
const endpointSysctls = 'com.docker.network.endpoint.sysctls'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'The engine tells its connection to containerd, where it has one.',
    requirements: ['ENG-038'],
    routes: ['GET /info'],
    answer: without('Containerd'),
  },
  {
    since,
    summary: 'Endpoints can have kernel parameters.',
    requirements: ['ENG-101', 'ENG-102', 'ENG-428', 'ENG-429'],
    routes: [create, 'POST /networks/:id/connect'],
    body: inTurn(
      at('NetworkingConfig.EndpointsConfig.*.DriverOpts', dropSysctls),
      at('EndpointConfig.DriverOpts', dropSysctls),
    ),
  },
  {
    since,
    summary: 'Lists of containers have their annotations.',
    requirements: ['ENG-274'],
    routes: [list],
    answer: without('[].HostConfig.Annotations'),
  },
  {
    since,
    summary: 'One platform of an image can be pushed.',
    requirements: ['ENG-361', 'ENG-362'],
    routes: ['POST /images/:name/push'],
    query: withoutQuery('platform'),
  },
  newHostConfig(
    { since, summary: 'Mounts in memory have further options.', requirements: ['ENG-100', 'ENG-237'] },
    'Mounts.[].TmpfsOptions.Options',
  ),
  {
    since,
    summary: 'There is an event for an image that was made.',
    requirements: ['ENG-642', 'ENG-643'],
    routes: ['GET /events'],
    way: 'events-before-1.46',
    item: (event) => (isEntry(event) && event.Type === 'image' && event.Action === 'create' ? undefined : event),
  },
]

function dropSysctls(options: Entry): void {
  delete options[endpointSysctls]
}

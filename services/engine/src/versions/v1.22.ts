// What version 1.22 changed.
import type { Change } from './change.ts'
import { create, inspect, list, newHostConfig, update } from './container-fields.ts'
import { at, withDefaults, without, withoutFilters } from './shape.ts'

const since = '1.22'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'There are no options for LXC any more; they had no effect.',
    requirements: ['ENG-184'],
    routes: [create, inspect],
    laterBody: without('HostConfig.LxcConf'),
    answer: withDefaults('HostConfig', { LxcConf: [] }),
  },
  {
    since,
    summary: 'Limits of containers can be changed.',
    requirements: ['ENG-302'],
    routes: [update],
    isNew: true,
  },
  {
    since,
    summary: 'Kernel memory may not be limited to less than 4 MB.',
    requirements: ['ENG-185', 'ENG-186'],
    routes: [create, update],
    way: 'any-kernel-memory',
  },
  newHostConfig(
    {
      since,
      summary: 'Reading from devices and writing to them can be slowed down.',
      requirements: ['ENG-187', 'ENG-188', 'ENG-189', 'ENG-190'],
    },
    'BlkioDeviceReadBps',
    'BlkioDeviceWriteBps',
    'BlkioDeviceReadIOps',
    'BlkioDeviceWriteIOps',
  ),
  {
    since,
    summary: 'Containers can ask for addresses on their networks.',
    requirements: ['ENG-191', 'ENG-192', 'ENG-473', 'ENG-474'],
    routes: [create, 'POST /networks/:id/connect'],
    body: without('NetworkingConfig.EndpointsConfig.*.IPAMConfig', 'EndpointConfig.IPAMConfig'),
  },
  {
    since,
    summary: 'Containers tell the ids of their networks.',
    requirements: ['ENG-226'],
    routes: [inspect],
    answer: without('NetworkSettings.Networks.*.NetworkID'),
  },
  {
    since,
    summary: 'Lists of containers have their networks, and can be filtered by isolation.',
    requirements: ['ENG-293', 'ENG-295'],
    routes: [list],
    query: withoutFilters('isolation'),
    answer: without('[].NetworkSettings'),
  },
  {
    since,
    summary: 'The engine tells its architecture and system, and counts containers by state.',
    requirements: ['ENG-071', 'ENG-072', 'ENG-073', 'ENG-074', 'ENG-075', 'ENG-076'],
    routes: ['GET /info'],
    answer: without(
      'Architecture',
      'OSType',
      'ContainersRunning',
      'ContainersPaused',
      'ContainersStopped',
      'SystemStatus',
    ),
  },
  {
    since,
    summary: 'Networks name their containers and tell the options of their address management.',
    requirements: ['ENG-465', 'ENG-467'],
    routes: ['GET /networks', 'GET /networks/:id'],
    answer: without('Containers.*.Name', 'IPAM.Options', '[].Containers.*.Name', '[].IPAM.Options'),
  },
  {
    since,
    summary: 'Networks can be filtered by name, id and type.',
    requirements: ['ENG-468', 'ENG-469', 'ENG-470'],
    routes: ['GET /networks'],
    query: withoutFilters('name', 'id', 'type'),
  },
  {
    since,
    summary: 'Networks can be cut off from the outside.',
    requirements: ['ENG-471'],
    routes: ['POST /networks/create'],
    body: without('Internal'),
  },
  {
    since,
    summary: 'Containers can be taken off a network by force.',
    requirements: ['ENG-472'],
    routes: ['POST /networks/:id/disconnect'],
    body: without('Force'),
  },
  {
    since,
    summary: 'The time the engine was built is written as in RFC 3339; it was written as Unix does.',
    requirements: ['ENG-096'],
    routes: ['GET /version'],
    answer: at('', (version) => {
      if (typeof version.BuildTime === 'string') version.BuildTime = unixDate(new Date(version.BuildTime))
    }),
  },
]

/** `Tue Dec  1 07:09:13 UTC 2015` */
function unixDate(time: Date): string {
  const [weekday = '', day = '', month = '', year = '', clock = ''] = time.toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${clock} UTC ${year}`
}

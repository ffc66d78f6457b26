// What version 1.21 changed.
import type { Change, Json } from './change.ts'
import { create, inspect, list, newConfig, newHostConfig } from './container-fields.ts'
import { at, isEntry, without, withoutFilters, withoutQuery } from './shape.ts'

const since = '1.21'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'There are volumes.',
    requirements: ['ENG-487', 'ENG-488', 'ENG-489', 'ENG-490'],
    routes: ['GET /volumes', 'POST /volumes/create', 'GET /volumes/:name', 'DELETE /volumes/:name'],
    isNew: true,
  },
  {
    since,
    summary: 'The volume driver of a container stands in HostConfig; it stood in Config.',
    requirements: ['ENG-193', 'ENG-262'],
    routes: [create, inspect],
    body: at('', (asked) => {
      const driver = asked.VolumeDriver
      delete asked.VolumeDriver
      const hostConfig = isEntry(asked.HostConfig) ? asked.HostConfig : {}
      delete hostConfig.VolumeDriver
      if (driver !== undefined) asked.HostConfig = { ...hostConfig, VolumeDriver: driver }
    }),
    answer: at('', ({ Config: config, HostConfig: hostConfig }) => {
      if (!isEntry(config) || !isEntry(hostConfig)) return
      config.VolumeDriver = hostConfig.VolumeDriver ?? ''
      delete hostConfig.VolumeDriver
    }),
  },
  {
    since,
    summary: 'An image tells its tags and digests.',
    requirements: ['ENG-413', 'ENG-414'],
    routes: ['GET /images/:name/json'],
    answer: without('RepoTags', 'RepoDigests'),
  },
  newConfig(
    { since, summary: 'A container names the signal that stops it.', requirements: ['ENG-194', 'ENG-261'] },
    'StopSignal',
  ),
  newHostConfig(
    { since, summary: 'Containers have resolver options.', requirements: ['ENG-195', 'ENG-264'] },
    'DnsOptions',
  ),
  newHostConfig(
    { since, summary: 'Containers have a limit of kernel memory.', requirements: ['ENG-196', 'ENG-243'] },
    'KernelMemory',
  ),
  newHostConfig(
    { since, summary: 'Containers have an out-of-memory score.', requirements: ['ENG-197', 'ENG-263'] },
    'OomScoreAdj',
  ),
  {
    since,
    summary: 'Stats count each network interface for itself; they counted all of them together.',
    requirements: ['ENG-338'],
    routes: ['GET /containers/:id/stats'],
    way: 'stats-of-one-network',
    item: at('', (stats) => {
      if (isEntry(stats.networks)) stats.network = sumOf(Object.values(stats.networks))
      delete stats.networks
    }),
  },
  {
    since,
    summary: 'Events tell their time to the nanosecond.',
    requirements: ['ENG-676'],
    routes: ['GET /events'],
    way: 'events-without-nanoseconds',
    item: without('timeNano'),
  },
  {
    since,
    summary: 'Events can be filtered by label.',
    requirements: ['ENG-678', 'ENG-679'],
    routes: ['GET /events'],
    query: withoutFilters('label'),
  },
  {
    since,
    summary: 'The engine tells its version and whether CPU shares and sets work.',
    requirements: ['ENG-078', 'ENG-079', 'ENG-080'],
    routes: ['GET /info'],
    answer: without('ServerVersion', 'CPUShares', 'CPUSet'),
  },
  {
    since,
    summary: 'Lists of containers have the id of the image.',
    requirements: ['ENG-294'],
    routes: [list],
    answer: without('[].ImageID'),
  },
  {
    since,
    summary: 'A container tells its size when asked.',
    requirements: ['ENG-232', 'ENG-233', 'ENG-234', 'ENG-235'],
    routes: [inspect],
    query: withoutQuery('size'),
  },
  {
    since,
    summary: 'The networks of a container are told one by one.',
    requirements: ['ENG-227', 'ENG-355'],
    routes: [inspect, 'GET /exec/:id/json'],
    answer: without('NetworkSettings.Networks', 'Container.NetworkSettings.Networks'),
  },
  {
    since,
    summary: 'Builds take variables.',
    requirements: ['ENG-423'],
    routes: ['POST /build'],
    query: withoutQuery('buildargs'),
  },
]

function sumOf(interfaces: readonly Json[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const counts of interfaces) {
    if (!isEntry(counts)) continue
    for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + Number(count)
  }
  return total
}

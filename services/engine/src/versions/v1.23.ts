// What version 1.23 changed.
import type { Change } from './change.ts'
import { create, list, newHostConfig, update } from './container-fields.ts'
import { at, type Entry, isEntry, without, withoutFilters, withoutQuery } from './shape.ts'

const since = '1.23'
const ipv6Label = 'com.docker.network.enable_ipv6'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Lists of containers have their states and mounts.',
    requirements: ['ENG-285', 'ENG-292'],
    routes: [list],
    answer: without('[].State', '[].Mounts'),
  },
  {
    since,
    summary: 'Networks tell whether they are internal and have IPv6.',
    requirements: ['ENG-461', 'ENG-463'],
    routes: ['GET /networks', 'GET /networks/:id'],
    answer: without('Internal', 'EnableIPv6', '[].Internal', '[].EnableIPv6'),
  },
  {
    since,
    summary: 'IPv6 of a network is switched on by a field; it was a label.',
    requirements: ['ENG-462', 'ENG-464'],
    routes: ['POST /networks/create'],
    body: at('', (asked) => {
      asked.EnableIPv6 = [asked.Labels, asked.Options].some((given) => isEntry(given) && given[ipv6Label] === 'true')
    }),
  },
  {
    since,
    summary: 'The restart policy of a container can be changed.',
    requirements: ['ENG-303'],
    routes: [update],
    body: without('RestartPolicy'),
  },
  newHostConfig(
    { since, summary: 'Processes of a container can be limited in number.', requirements: ['ENG-177', 'ENG-260'] },
    'PidsLimit',
  ),
  newHostConfig(
    { since, summary: 'A container may leave the user namespace of the engine.', requirements: ['ENG-180'] },
    'UsernsMode',
  ),
  {
    since,
    summary: 'Named volumes may be kept from being filled with what the image has.',
    requirements: ['ENG-182'],
    routes: [create],
    body: at('HostConfig', (hostConfig) => {
      if (Array.isArray(hostConfig.Binds)) hostConfig.Binds = hostConfig.Binds.map(withoutNoCopy)
    }),
  },
  {
    since,
    summary: 'The hostname is Hostname alone; the domain was put behind it.',
    requirements: ['ENG-183'],
    routes: [create],
    body: at('', joinDomain),
  },
  {
    since,
    summary: 'Logging in to a registry may give an identity token.',
    requirements: ['ENG-717'],
    routes: ['POST /auth'],
    answer: without('IdentityToken'),
  },
  {
    since,
    summary: 'Volumes can be filtered by name and driver.',
    requirements: ['ENG-485', 'ENG-486'],
    routes: ['GET /volumes'],
    query: withoutFilters('name', 'driver'),
  },
  {
    since,
    summary: 'Logs can be asked for with details.',
    requirements: ['ENG-322'],
    routes: ['GET /containers/:id/logs'],
    query: withoutQuery('details'),
  },
  {
    since,
    summary: 'Loading images tells its progress as JSON, unless it is asked to be quiet; it told nothing.',
    requirements: ['ENG-409', 'ENG-410'],
    routes: ['POST /images/load'],
    query: withoutQuery('quiet'),
    way: 'load-without-progress',
  },
  {
    since,
    summary: 'The engine tells its cgroup driver and whether kernel memory can be limited.',
    requirements: ['ENG-064', 'ENG-066'],
    routes: ['GET /info'],
    answer: without('CgroupDriver', 'KernelMemory'),
  },
  {
    since,
    summary: 'Stats count processes.',
    requirements: ['ENG-337'],
    routes: ['GET /containers/:id/stats'],
    way: 'stats-without-pids',
    item: without('pids_stats'),
  },
]

/** `data:/data:nocopy,ro` → `data:/data:ro` */
function withoutNoCopy(bind: unknown): unknown {
  if (typeof bind !== 'string') return bind
  const [source, target, mode, ...rest] = bind.split(':')
  if (mode === undefined || rest.length > 0) return bind
  const kept = mode.split(',').filter((option) => option !== 'nocopy')
  return [source, target, ...(kept.length > 0 ? [kept.join(',')] : [])].join(':')
}

function joinDomain(asked: Entry): void {
  const { Hostname: host, Domainname: domain } = asked
  if (typeof host !== 'string' || typeof domain !== 'string' || host === '' || domain === '') return
  if (!host.endsWith(`.${domain}`)) asked.Hostname = `${host}.${domain}`
}

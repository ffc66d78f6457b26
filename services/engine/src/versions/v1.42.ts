// What version 1.42 changed.
import type { Change, Json } from './change.ts'
import { create, inspect, newHostConfig, update } from './container-fields.ts'
import { at, type Entry, isEntry, withDefaults, withFilters, without, withoutQuery } from './shape.ts'

const since = '1.42'

/** The options that a mount of a type may have. */
const optionsOf: Record<string, string> = { BindOptions: 'bind', VolumeOptions: 'volume', TmpfsOptions: 'tmpfs' }

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Disk usage has no size of the builder; it had one beside the build cache.',
    requirements: ['ENG-681'],
    routes: ['GET /system/df'],
    answer: at('', (usage) => {
      const records: Json[] = Array.isArray(usage.BuildCache) ? usage.BuildCache : []
      usage.BuilderSize = records.reduce<number>(
        (sum, record) => sum + (isEntry(record) && record.Shared !== true ? Number(record.Size ?? 0) : 0),
        0,
      )
    }),
  },
  {
    since,
    summary: 'Records of the build cache have parents; they had one.',
    requirements: ['ENG-690', 'ENG-691'],
    routes: ['GET /system/df'],
    answer: at('BuildCache.[]', (record) => {
      const parents = record.Parents
      delete record.Parents
      record.Parent = Array.isArray(parents) ? (parents[0] ?? '') : ''
    }),
  },
  {
    since,
    summary: 'Disk usage can be asked for by kind.',
    requirements: ['ENG-682', 'ENG-683', 'ENG-684', 'ENG-685', 'ENG-686'],
    routes: ['GET /system/df'],
    query: withoutQuery('type'),
  },
  {
    since,
    summary: 'Stopping and restarting take a signal.',
    requirements: ['ENG-296', 'ENG-297'],
    routes: ['POST /containers/:id/stop', 'POST /containers/:id/restart'],
    query: withoutQuery('signal'),
  },
  {
    since,
    summary: 'Lists of images tell shared sizes when asked.',
    requirements: ['ENG-390', 'ENG-391'],
    routes: ['GET /images/json'],
    query: withoutQuery('shared-size'),
  },
  {
    since,
    summary: 'Limits of kernel memory are passed over; they were taken.',
    requirements: ['ENG-120', 'ENG-135', 'ENG-310'],
    routes: [create, update],
    laterBody: without('KernelMemory', 'HostConfig.KernelMemory'),
    way: 'kernel-memory',
  },
  {
    since,
    summary: 'Containers leave out limits of kernel memory that are not set; they were 0.',
    requirements: ['ENG-222', 'ENG-223'],
    routes: [inspect],
    answer: withDefaults('HostConfig', { KernelMemory: 0, KernelMemoryTCP: 0 }),
  },
  {
    since,
    summary: 'The engine leaves out limits of kernel memory that the host has not; they were false.',
    requirements: ['ENG-067', 'ENG-068', 'ENG-069'],
    routes: ['GET /info'],
    answer: withDefaults('', { KernelMemory: false, KernelMemoryTCP: false }),
  },
  {
    since,
    summary: 'Streams say whether they have frames; all were called raw.',
    requirements: ['ENG-319', 'ENG-320', 'ENG-324', 'ENG-325', 'ENG-345', 'ENG-346'],
    routes: [
      'POST /containers/:id/attach',
      'GET /containers/:id/attach',
      'POST /exec/:id/start',
      'GET /exec/:id/start',
      'GET /containers/:id/logs',
    ],
    way: 'raw-stream-type',
  },
  {
    since,
    summary: 'There are volumes of a cluster.',
    requirements: ['ENG-475', 'ENG-477', 'ENG-479', 'ENG-480', 'ENG-692'],
    routes: ['POST /volumes/create', 'GET /volumes', 'GET /volumes/:name', 'GET /system/df'],
    body: without('ClusterVolumeSpec'),
    answer: without('ClusterVolume', 'Volumes.[].ClusterVolume'),
  },
  {
    since,
    summary: 'Volumes of a cluster can be changed.',
    requirements: ['ENG-478'],
    routes: ['PUT /volumes/:name'],
    isNew: true,
  },
  {
    since,
    summary: 'WebSockets attach to the streams they ask for; they attached to all.',
    requirements: ['ENG-326', 'ENG-327', 'ENG-328', 'ENG-329', 'ENG-330'],
    routes: ['GET /containers/:id/attach/ws'],
    way: 'ws-all-streams',
  },
  newHostConfig(
    { since, summary: 'The terminal of a container has a size at its start.', requirements: ['ENG-121', 'ENG-241'] },
    'ConsoleSize',
  ),
  newHostConfig(
    { since, summary: 'Folders that are to be mounted can be made.', requirements: ['ENG-122', 'ENG-242'] },
    'Mounts.[].BindOptions.CreateMountpoint',
  ),
  {
    since,
    summary: 'Options of another type of mount are refused; they were passed over.',
    requirements: ['ENG-123', 'ENG-124', 'ENG-125', 'ENG-126'],
    routes: [create],
    body: at('HostConfig.Mounts.[]', dropOtherOptions),
  },
  {
    since,
    summary: 'The terminal of a process in a container has a size at its start.',
    requirements: ['ENG-347'],
    routes: ['POST /containers/:id/exec', 'POST /exec/:id/start', 'GET /exec/:id/start'],
    body: without('ConsoleSize'),
  },
  {
    since,
    summary: 'Only volumes without a name are removed when they are not used; all were.',
    requirements: ['ENG-694', 'ENG-695', 'ENG-696'],
    routes: ['POST /volumes/prune'],
    query: withFilters((filters) => {
      filters.all = ['true']
    }),
  },
]

function dropOtherOptions(mount: Entry): void {
  for (const [options, type] of Object.entries(optionsOf)) if (mount.Type !== type) delete mount[options]
}

// What version 1.25 changed.
import type { Change } from './change.ts'
import { create, inspect, list, newConfig, newHostConfig, update } from './container-fields.ts'
import { at, type Entry, inTurn, isEntry, withFilters, without, withoutFilters, withoutQuery } from './shape.ts'

const since = '1.25'
const restartPolicies = ['', 'no', 'always', 'unless-stopped', 'on-failure']

export const changes: readonly Change[] = [
  newHostConfig(
    {
      since,
      summary: 'Containers can remove themselves, have an init process, and mounts written out in full.',
      requirements: ['ENG-154', 'ENG-155', 'ENG-167', 'ENG-251', 'ENG-252', 'ENG-253'],
    },
    'AutoRemove',
    'Init',
    'Mounts',
  ),
  newHostConfig(
    {
      since,
      summary: 'Containers have CPU limits in parts of a CPU and for real-time processes.',
      requirements: ['ENG-161', 'ENG-162', 'ENG-163', 'ENG-208', 'ENG-255', 'ENG-256', 'ENG-257', 'ENG-270'],
    },
    'NanoCpus',
    'CpuRealtimePeriod',
    'CpuRealtimeRuntime',
    'CpuRtRuntime',
    'CpuCount',
  ),
  newHostConfig(
    {
      since,
      summary: 'Logging may drop lines instead of holding a container up.',
      requirements: ['ENG-164', 'ENG-165', 'ENG-166'],
    },
    'LogConfig.Config.mode',
    'LogConfig.Config.max-buffer-size',
  ),
  newConfig(
    { since, summary: 'A container says how long stopping it may take.', requirements: ['ENG-160', 'ENG-254'] },
    'StopTimeout',
  ),
  {
    since,
    summary: 'Restart policies are checked; unknown ones were passed over.',
    requirements: ['ENG-169', 'ENG-304'],
    routes: [create, update],
    body: inTurn(at('', dropOddPolicy), at('HostConfig', dropOddPolicy)),
  },
  {
    since,
    summary: 'Containers that are being removed are told as such; they were told as exited.',
    requirements: ['ENG-225', 'ENG-280', 'ENG-281'],
    routes: [inspect, list],
    query: withFilters((filters) => {
      const asked = filters.status
      if (!Array.isArray(asked)) return
      const known = asked.filter((status) => status !== 'removing')
      if (known.length === 0) delete filters.status
      else filters.status = known.includes('exited') ? [...known, 'removing'] : known
    }),
    answer: inTurn(
      at('State', (state) => {
        if (state.Status === 'removing') state.Status = 'exited'
      }),
      at('[]', (container) => {
        if (container.State === 'removing') container.State = 'exited'
      }),
    ),
  },
  {
    since,
    summary: 'Removing a container that is being removed is refused; nothing was said.',
    requirements: ['ENG-298', 'ENG-299'],
    routes: ['DELETE /containers/:id'],
    way: 'quiet-double-removal',
  },
  {
    since,
    summary: 'Containers can be filtered by health and by being part of a task.',
    requirements: ['ENG-282', 'ENG-283'],
    routes: [list],
    query: withoutFilters('health', 'is-task'),
  },
  {
    since,
    summary: 'Volumes can be removed by force.',
    requirements: ['ENG-483'],
    routes: ['DELETE /volumes/:name'],
    query: withoutQuery('force'),
  },
  {
    since,
    summary: 'Volumes tell their options.',
    requirements: ['ENG-484'],
    routes: ['GET /volumes', 'GET /volumes/:name', 'POST /volumes/create'],
    answer: without('Options', 'Volumes.[].Options'),
  },
  {
    since,
    summary: 'Networks are listed under an address with a slash at its end, too.',
    requirements: ['ENG-455'],
    routes: ['GET /networks/'],
    isNew: true,
  },
  {
    since,
    summary: 'Networks tell when they were made, and their peers.',
    requirements: ['ENG-456', 'ENG-457', 'ENG-458'],
    routes: ['GET /networks', 'GET /networks/:id'],
    answer: without('Created', 'Peers', '[].Created', '[].Peers'),
  },
  {
    since,
    summary: 'Processes in a container can be given an environment.',
    requirements: ['ENG-349'],
    routes: ['POST /containers/:id/exec'],
    body: without('Env'),
  },
  {
    since,
    summary: 'Processes in a container tell their id on the host.',
    requirements: ['ENG-350'],
    routes: ['GET /exec/:id/json'],
    answer: without('Pid'),
  },
  {
    since,
    summary: 'What is not used can be removed at once.',
    requirements: ['ENG-697', 'ENG-698', 'ENG-699', 'ENG-700'],
    routes: ['POST /containers/prune', 'POST /images/prune', 'POST /volumes/prune', 'POST /networks/prune'],
    isNew: true,
  },
  {
    since,
    summary: 'Security options have names and values, and tell user namespaces; they were single words.',
    requirements: ['ENG-057', 'ENG-058'],
    routes: ['GET /info'],
    answer: at('', (info) => {
      if (Array.isArray(info.SecurityOptions)) info.SecurityOptions = info.SecurityOptions.map(firstWord).filter(isOld)
    }),
  },
  {
    since,
    summary: 'The engine tells the isolation of containers.',
    requirements: ['ENG-055'],
    routes: ['GET /info'],
    answer: without('Isolation'),
  },
  {
    since,
    summary: 'Images can be filtered by reference.',
    requirements: ['ENG-403'],
    routes: ['GET /images/json'],
    query: withoutFilters('reference'),
  },
  {
    since,
    summary: 'An image tells the version of its system, and no base layer any more.',
    requirements: ['ENG-401', 'ENG-402'],
    routes: ['GET /images/:name/json'],
    answer: at('', (image) => {
      delete image.OsVersion
      if (isEntry(image.RootFS)) image.RootFS.BaseLayer = ''
    }),
  },
  {
    since,
    summary: 'The engine tells the oldest version it serves.',
    requirements: ['ENG-095'],
    routes: ['GET /version'],
    answer: without('MinAPIVersion'),
  },
  {
    since,
    summary: 'Builds take a network and images to take layers from.',
    requirements: ['ENG-420', 'ENG-421'],
    routes: ['POST /build'],
    query: withoutQuery('networkmode', 'cachefrom'),
  },
]

/** `name=seccomp,profile=builtin` → `seccomp` */
const firstWord = (option: unknown): string => /^(?:name=)?([^,]*)/.exec(String(option))?.[1] ?? ''

const isOld = (word: string): boolean => word !== 'userns'

function dropOddPolicy(settings: Entry): void {
  const policy = settings.RestartPolicy
  if (isEntry(policy) && !restartPolicies.includes(String(policy.Name ?? ''))) delete settings.RestartPolicy
}

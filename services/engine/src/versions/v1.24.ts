// What version 1.24 changed. That errors are JSON from then on is in versions.ts.
import { invalidParameter } from '../errors.ts'
import type { Change, Json } from './change.ts'
import { create, list, newHostConfig } from './container-fields.ts'
import { at, isEntry, without, withoutFilters, withoutQuery } from './shape.ts'

const since = '1.24'

export const changes: readonly Change[] = [
  newHostConfig(
    { since, summary: 'Containers have storage options.', requirements: ['ENG-170', 'ENG-259'] },
    'StorageOpt',
  ),
  newHostConfig({ since, summary: 'Containers have kernel parameters.', requirements: ['ENG-171'] }, 'Sysctls'),
  newHostConfig(
    {
      since,
      summary: 'Containers of Windows have limits for their disk.',
      requirements: ['ENG-209', 'ENG-210', 'ENG-271', 'ENG-272'],
    },
    'IOMaximumBandwidth',
    'IOMaximumIOps',
  ),
  {
    since,
    summary: 'A container may share the processes of another.',
    requirements: ['ENG-174', 'ENG-175'],
    routes: [create],
    body: at('HostConfig', (hostConfig) => {
      if (String(hostConfig.PidMode).startsWith('container:')) delete hostConfig.PidMode
    }),
  },
  {
    since,
    summary: 'Hostnames are checked against RFC 1123; anything was taken.',
    requirements: ['ENG-172', 'ENG-173'],
    routes: [create],
    way: 'any-hostname',
  },
  {
    since,
    summary: 'A container without a command is refused with 400; it was 500.',
    requirements: ['ENG-176'],
    routes: [create],
    way: 'no-command-is-fault',
  },
  {
    since,
    summary: 'The engine tells its security options, and no execution driver any more.',
    requirements: ['ENG-056', 'ENG-070'],
    routes: ['GET /info'],
    answer: at('', (info) => {
      delete info.SecurityOptions
      info.ExecutionDriver = info.DefaultRuntime ?? ''
    }),
  },
  {
    since,
    summary: 'Networks can be filtered by label and driver.',
    requirements: ['ENG-459', 'ENG-460'],
    routes: ['GET /networks'],
    query: withoutFilters('label', 'driver'),
  },
  {
    since,
    summary: 'Containers can be filtered by network.',
    requirements: ['ENG-284'],
    routes: [list],
    query: withoutFilters('network'),
  },
  {
    since,
    summary: 'Searching for images takes filters and a limit.',
    requirements: ['ENG-404', 'ENG-405'],
    routes: ['GET /images/search', 'POST /images/search'],
    query: withoutQuery('filters', 'limit'),
  },
  {
    since,
    summary: 'There are events for reloading and detaching.',
    requirements: ['ENG-671', 'ENG-672', 'ENG-673'],
    routes: ['GET /events'],
    way: 'events-before-1.24',
    item: (event) =>
      isEntry(event) && ['reload', 'detach', 'exec_detach'].includes(String(event.Action)) ? undefined : event,
  },
  {
    since,
    summary: 'Events can be filtered by daemon.',
    requirements: ['ENG-674', 'ENG-675'],
    routes: ['GET /events'],
    query: withoutFilters('daemon'),
  },
  {
    since,
    summary: 'Images can be filtered by what came before them and after.',
    requirements: ['ENG-406', 'ENG-407'],
    routes: ['GET /images/json'],
    query: withoutFilters('since', 'before'),
  },
  {
    since,
    summary: 'Starting a container takes no HostConfig any more.',
    requirements: ['ENG-300', 'ENG-301'],
    routes: ['POST /containers/:id/start'],
    laterBody: refuseSettings,
  },
  {
    since,
    summary: 'Tags are moved without being asked to.',
    requirements: ['ENG-408'],
    routes: ['POST /images/:name/tag'],
    laterQuery: withoutQuery('force'),
  },
  {
    since,
    summary: 'Files are no longer copied by a request with a body.',
    requirements: ['ENG-343', 'ENG-344'],
    routes: ['POST /containers/:id/copy'],
    isGone: true,
  },
  {
    since,
    summary: 'Processes in a container are asked for without naming it again.',
    requirements: ['ENG-351', 'ENG-352'],
    routes: ['POST /containers/:id/exec', 'POST /exec/:id/start', 'GET /exec/:id/start'],
    laterBody: without('Container'),
  },
]

function refuseSettings(body: Json): Json {
  if (isEntry(body) && Object.keys(body).length > 0) {
    throw invalidParameter(
      'starting container with non-empty request body was deprecated since API v1.22 and removed in v1.24',
    )
  }
  return undefined
}

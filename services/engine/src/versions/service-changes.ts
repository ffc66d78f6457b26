// What versions changed of services and tasks. Most of it are fields: neither taken from older callers nor shown to them.
import type { Change, RouteName } from './change.ts'
import { at, type Entry, inTurn, isEntry, without, withoutFilters, withoutQuery } from './shape.ts'

const asking: RouteName[] = ['POST /services/create', 'POST /services/:id/update']
const services: RouteName[] = ['GET /services', 'GET /services/:id']
const tasks: RouteName[] = ['GET /tasks', 'GET /tasks/:id']
const specs = ['Spec', 'PreviousSpec']

type Named = Pick<Change, 'since' | 'summary' | 'requirements'>

/** Below `TaskTemplate`, which is the `Spec` of a task. */
function newTaskField(change: Named, ...names: [string, ...string[]]): Change {
  const ofServices = names.flatMap((name) => specs.map((spec) => `${spec}.TaskTemplate.${name}`))
  const ofTasks = names.map((name) => `Spec.${name}`)
  const shown = [...ofServices, ...ofTasks]
  return {
    ...change,
    routes: [...asking, ...services, ...tasks],
    body: without(...names.map((name) => `TaskTemplate.${name}`)),
    answer: without(...shown, ...shown.map((place) => `[].${place}`)),
  }
}

const newContainerField = (change: Named, ...names: [string, ...string[]]): Change =>
  newTaskField(change, ...(names.map((name) => `ContainerSpec.${name}`) as [string, ...string[]]))

/** At the top of a description. */
function newServiceField(change: Named, ...names: [string, ...string[]]): Change {
  const shown = names.flatMap((name) => specs.map((spec) => `${spec}.${name}`))
  return {
    ...change,
    routes: [...asking, ...services],
    body: without(...names),
    answer: without(...shown, ...shown.map((place) => `[].${place}`)),
  }
}

export const serviceChanges: readonly Change[] = [
  newContainerField(
    {
      since: '1.25',
      summary: 'Services have a terminal and settings for names.',
      requirements: ['ENG-567', 'ENG-568', 'ENG-569', 'ENG-570', 'ENG-571', 'ENG-590', 'ENG-591'],
    },
    'TTY',
    'DNSConfig',
  ),
  newTaskField(
    { since: '1.25', summary: 'Tasks can be replaced without a change.', requirements: ['ENG-566', 'ENG-589'] },
    'ForceUpdate',
  ),
  newServiceField(
    { since: '1.25', summary: 'Updates tell how much of them may fail.', requirements: ['ENG-565', 'ENG-588'] },
    'UpdateConfig.Monitor',
    'UpdateConfig.MaxFailureRatio',
    'UpdateConfig.MonitorMaxFailureRatio',
  ),
  {
    since: '1.25',
    summary: 'Services are made and changed with warnings.',
    requirements: ['ENG-574', 'ENG-575'],
    routes: asking,
    answer: without('Warnings'),
  },
  newContainerField(
    { since: '1.28', summary: 'Files of a task may be read-only.', requirements: ['ENG-560', 'ENG-586'] },
    'ReadOnly',
  ),
  newServiceField(
    { since: '1.28', summary: 'Services tell how they go back.', requirements: ['ENG-561', 'ENG-587'] },
    'RollbackConfig',
  ),
  {
    since: '1.28',
    summary: 'An update that fails may go back by itself.',
    requirements: ['ENG-562', 'ENG-729'],
    routes: [...asking, ...services],
    body: at('UpdateConfig', dropRollback),
    answer: inTurn(
      ...specs.flatMap((spec) => [
        at(`${spec}.UpdateConfig`, dropRollback),
        at(`[].${spec}.UpdateConfig`, dropRollback),
      ]),
    ),
  },
  {
    since: '1.28',
    summary: 'Services can be filtered by mode.',
    requirements: ['ENG-563', 'ENG-564'],
    routes: ['GET /services'],
    query: withoutFilters('mode'),
  },
  {
    since: '1.29',
    summary: 'A service can be asked for with what holds by default.',
    requirements: ['ENG-556'],
    routes: ['GET /services/:id'],
    query: withoutQuery('insertDefaults'),
  },
  newContainerField(
    {
      since: '1.29',
      summary: 'Tasks have privileges.',
      requirements: ['ENG-557', 'ENG-558', 'ENG-559', 'ENG-585'],
    },
    'Privileges',
  ),
  newTaskField(
    { since: '1.30', summary: 'Services say which platforms they are for.', requirements: ['ENG-555', 'ENG-584'] },
    'Placement.Platforms',
  ),
  newTaskField(
    { since: '1.31', summary: 'A service may be a plugin.', requirements: ['ENG-554', 'ENG-583'] },
    'PluginSpec',
    'Runtime',
  ),
  newContainerField(
    {
      since: '1.35',
      summary: 'Tasks of Windows have an isolation.',
      requirements: ['ENG-592', 'ENG-593', 'ENG-594', 'ENG-595', 'ENG-596'],
    },
    'Isolation',
  ),
  {
    since: '1.37',
    summary: 'Ports of services can be of SCTP.',
    requirements: ['ENG-553'],
    routes: asking,
    body: at('EndpointSpec', (endpoint) => {
      const ports = Array.isArray(endpoint.Ports) ? endpoint.Ports : []
      if (ports.length > 0) endpoint.Ports = ports.filter((port) => !isEntry(port) || port.Protocol !== 'sctp')
    }),
  },
  newTaskField(
    { since: '1.38', summary: 'Tasks may be attached containers.', requirements: ['ENG-609', 'ENG-610'] },
    'NetworkAttachmentSpec',
  ),
  newContainerField(
    {
      since: '1.40',
      summary: 'Tasks have kernel parameters and configs that are not files.',
      requirements: ['ENG-541', 'ENG-542', 'ENG-543', 'ENG-547', 'ENG-548', 'ENG-549', 'ENG-605', 'ENG-607'],
    },
    'Sysctls',
    'Configs.[].Runtime',
  ),
  newContainerField(
    {
      since: '1.40',
      summary: 'Credentials of tasks may be in a config.',
      requirements: ['ENG-544', 'ENG-545', 'ENG-546', 'ENG-606'],
    },
    'Privileges.CredentialSpec.Config',
  ),
  newTaskField(
    {
      since: '1.40',
      summary: 'Services say how many of their tasks a node may have.',
      requirements: ['ENG-550', 'ENG-551', 'ENG-552', 'ENG-608'],
    },
    'Placement.MaxReplicas',
  ),
  newContainerField(
    {
      since: '1.41',
      summary: 'Tasks have capabilities, limits, and mounts that leave out what is below.',
      requirements: ['ENG-519', 'ENG-520', 'ENG-521', 'ENG-522', 'ENG-523', 'ENG-524', 'ENG-525', 'ENG-526', 'ENG-527'],
    },
    'CapabilityAdd',
    'CapabilityDrop',
    'CapAdd',
    'CapDrop',
    'Ulimits',
    'Mounts.[].BindOptions.NonRecursive',
  ),
  newTaskField(
    {
      since: '1.41',
      summary: 'Tasks have a limit of processes.',
      requirements: ['ENG-531', 'ENG-532', 'ENG-533', 'ENG-603'],
    },
    'Resources.Limits.Pids',
  ),
  {
    since: '1.41',
    summary: 'Lists of services tell how many tasks run, when asked.',
    requirements: ['ENG-534', 'ENG-535'],
    routes: ['GET /services'],
    query: withoutQuery('status'),
  },
  {
    since: '1.41',
    summary: 'There are services that come to an end.',
    requirements: ['ENG-536', 'ENG-537', 'ENG-538', 'ENG-539', 'ENG-604'],
    routes: [...asking, ...services, ...tasks],
    body: without('Mode.ReplicatedJob', 'Mode.GlobalJob'),
    answer: without('JobStatus', '[].JobStatus', 'JobIteration', '[].JobIteration'),
  },
  {
    since: '1.42',
    summary: 'Logs of services and tasks say whether they have frames; all were called raw.',
    requirements: ['ENG-517', 'ENG-518', 'ENG-597', 'ENG-598'],
    routes: ['GET /services/:id/logs', 'GET /tasks/:id/logs'],
    way: 'raw-stream-type',
  },
  newContainerField(
    {
      since: '1.44',
      summary: 'Tasks have profiles of seccomp and AppArmor.',
      requirements: ['ENG-511', 'ENG-512', 'ENG-513', 'ENG-514', 'ENG-580', 'ENG-581'],
    },
    'Privileges.Seccomp',
    'Privileges.AppArmor',
  ),
  newContainerField(
    {
      since: '1.46',
      summary: 'Tasks have options for files in memory, and a score for when memory is out.',
      requirements: ['ENG-508', 'ENG-509', 'ENG-510', 'ENG-578', 'ENG-579'],
    },
    'Mounts.[].TmpfsOptions.Options',
    'OomScoreAdj',
  ),
]

function dropRollback(config: Entry): void {
  if (config.FailureAction === 'rollback') delete config.FailureAction
}

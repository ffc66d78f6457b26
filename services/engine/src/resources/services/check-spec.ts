// What a service cannot be: everything that is wrong with a description, told before anything is changed.
import { invalidParameter } from '../../errors.ts'
import { isReference } from '../../images/reference.ts'
import { checkMount } from '../../mounts/check-mount.ts'
import { kindOf } from '../../swarm/generic-resources.ts'
import { readConstraints, readSpread } from '../../swarm/manager/constraints.ts'
import type { PortConfig, ServiceSpec, TaskSpec, UpdateConfig } from './schema.ts'

const namePattern = /^[a-zA-Z0-9](?:[-_]*[A-Za-z0-9]+)*$/
const maxNameLetters = 63
const smallestMemory = 4 * 1024 * 1024
const smallestCpu = 1e6
const maxReplicas = 10_000
/** A change writes up to fifty tasks at once, each with a copy. */
const maxSpecLetters = 64 * 1024
const maxPort = 65_535

const refuse = (message: string): never => {
  throw invalidParameter(message)
}

function oneOf(what: string, value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || value === '' || allowed.includes(value)) return
  refuse(`invalid ${what}: "${value}"; use ${allowed.join(', ')}`)
}

function notNegative(what: string, value: number | undefined): void {
  if (value !== undefined && value < 0) refuse(`${what} cannot be negative`)
}

export function checkSpec(spec: ServiceSpec): void {
  if (JSON.stringify(spec).length > maxSpecLetters) {
    refuse(`the description of the service has more than ${maxSpecLetters} bytes: use configs for what is large`)
  }
  const { Name = '', TaskTemplate, UpdateConfig: update, RollbackConfig: rollback } = spec
  if (Name.length > maxNameLetters || !namePattern.test(Name)) {
    refuse(`invalid name "${Name.slice(0, maxNameLetters)}": name must be valid as a DNS name component`)
  }
  if (TaskTemplate === undefined) throw invalidParameter('TaskTemplate: a service needs one')
  checkTask(TaskTemplate)
  checkMode(spec)
  checkUpdate('UpdateConfig', update, ['pause', 'continue', 'rollback'])
  checkUpdate('RollbackConfig', rollback, ['pause', 'continue'])
  checkPorts(spec)
}

function checkTask({ ContainerSpec: container, PluginSpec, Runtime = '', ...task }: TaskSpec): void {
  oneOf('Runtime', Runtime, ['container', 'plugin'])
  if (Runtime === 'plugin') {
    if (PluginSpec === undefined || container !== undefined)
      refuse('a service of plugins has a PluginSpec and no ContainerSpec')
    if (!PluginSpec?.Remote) refuse('PluginSpec: a remote is needed')
  } else if (!container?.Image || !isReference(container.Image)) {
    refuse(`ContainerSpec: "${container?.Image ?? ''}" is not a valid repository/tag`)
  }
  oneOf('Isolation', container?.Isolation, ['default', 'process', 'hyperv'])
  oneOf('Seccomp mode', container?.Privileges?.Seccomp?.Mode, ['default', 'unconfined', 'custom'])
  oneOf('AppArmor mode', container?.Privileges?.AppArmor?.Mode, ['default', 'disabled'])
  notNegative('StopGracePeriod', container?.StopGracePeriod)
  for (const mount of container?.Mounts ?? []) for (const problem of checkMount(mount)) refuse(problem)
  checkTargets(container)
  checkResources(task)
  const { RestartPolicy: restart, Placement } = task
  oneOf('restart condition', restart?.Condition, ['none', 'on-failure', 'any'])
  for (const name of ['Delay', 'MaxAttempts', 'Window'] as const) notNegative(`RestartPolicy.${name}`, restart?.[name])
  notNegative('Placement.MaxReplicas', Placement?.MaxReplicas)
  readConstraints(Placement?.Constraints ?? [])
  for (const { Spread } of Placement?.Preferences ?? []) readSpread(Spread?.SpreadDescriptor ?? '')
}

/** Two files cannot be in one place. */
function checkTargets(container: TaskSpec['ContainerSpec']): void {
  const names = [
    ...(container?.Secrets ?? []).map(({ File, SecretName }) => `secret ${File?.Name ?? SecretName ?? ''}`),
    ...(container?.Configs ?? []).flatMap(({ File, ConfigName, Runtime }) =>
      Runtime === undefined ? [`config ${File?.Name ?? ConfigName ?? ''}`] : [],
    ),
  ]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) refuse(`references have a conflicting target: ${twice}`)
}

function checkResources({ Resources }: Pick<TaskSpec, 'Resources'>): void {
  for (const amounts of [Resources?.Limits, Resources?.Reservations]) {
    const { NanoCPUs = 0, MemoryBytes = 0, Pids } = amounts ?? {}
    if (NanoCPUs !== 0 && NanoCPUs < smallestCpu)
      refuse(`invalid cpu value ${NanoCPUs / 1e9}: Must be at least ${smallestCpu / 1e9}`)
    if (MemoryBytes !== 0 && MemoryBytes < smallestMemory)
      refuse(`invalid memory value ${MemoryBytes}: Must be at least 4MiB`)
    notNegative('Pids', Pids)
    for (const one of amounts?.GenericResources ?? []) {
      // Tasks say how many; which they get is for their node to say.
      if (one.DiscreteResourceSpec === undefined) refuse(`invalid argument for resource ${kindOf(one)}`)
      notNegative(`generic resource ${kindOf(one)}`, one.DiscreteResourceSpec?.Value)
    }
  }
}

function checkMode({ Mode, UpdateConfig: update, RollbackConfig: rollback }: ServiceSpec): void {
  const named = Object.values(Mode ?? {}).filter((mode) => mode !== undefined)
  if (named.length > 1) refuse('a service has one mode: Replicated, Global, ReplicatedJob or GlobalJob')
  const { Replicated, ReplicatedJob, GlobalJob } = Mode ?? {}
  const counts = {
    Replicas: Replicated?.Replicas,
    MaxConcurrent: ReplicatedJob?.MaxConcurrent,
    TotalCompletions: ReplicatedJob?.TotalCompletions,
  }
  for (const [name, count] of Object.entries(counts)) {
    notNegative(name, count)
    if ((count ?? 0) > maxReplicas) refuse(`${name} is more than ${maxReplicas}`)
  }
  const isJob = ReplicatedJob !== undefined || GlobalJob !== undefined
  if (isJob && (update !== undefined || rollback !== undefined))
    refuse('a job cannot have an update or rollback config')
}

function checkUpdate(what: string, config: UpdateConfig | undefined, actions: readonly string[]): void {
  oneOf(`${what}.FailureAction`, config?.FailureAction, actions)
  oneOf(`${what}.Order`, config?.Order, ['stop-first', 'start-first'])
  for (const name of ['Parallelism', 'Delay', 'Monitor'] as const) notNegative(`${what}.${name}`, config?.[name])
  const ratio = config?.MaxFailureRatio ?? config?.MonitorMaxFailureRatio ?? 0
  if (ratio < 0 || ratio > 1) refuse(`${what}.MaxFailureRatio must be between 0 and 1`)
}

function checkPorts({ EndpointSpec }: ServiceSpec): void {
  const { Mode: mode, Ports: ports = [] } = EndpointSpec ?? {}
  oneOf('EndpointSpec.Mode', mode, ['vip', 'dnsrr'])
  const seen = new Set<string>()
  for (const port of ports) {
    checkPort(port)
    if (mode === 'dnsrr' && port.PublishMode !== 'host') {
      refuse("EndpointSpec: port published with ingress mode can't be used with dnsrr mode")
    }
    const name = `${port.PublishedPort ?? 0}/${port.Protocol || 'tcp'}`
    if (port.PublishedPort && seen.has(name)) refuse('EndpointSpec: duplicate published ports provided')
    seen.add(name)
  }
}

function checkPort({ Protocol, PublishMode, TargetPort = 0, PublishedPort = 0 }: PortConfig): void {
  oneOf('Protocol', Protocol, ['tcp', 'udp', 'sctp'])
  oneOf('PublishMode', PublishMode, ['ingress', 'host'])
  if (TargetPort < 1 || TargetPort > maxPort) refuse(`invalid TargetPort: ${TargetPort}`)
  if (PublishedPort < 0 || PublishedPort > maxPort) refuse(`invalid PublishedPort: ${PublishedPort}`)
}

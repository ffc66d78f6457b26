// From a task to the container that runs it.
import { invalidParameter } from '../../errors.ts'
import { CreateContainer, type Mount } from '../../resources/containers/schema.ts'
import type { ContainerSpec, TaskSpec } from '../../resources/services/schema.ts'
import { genericEnvironment } from '../generic-resources.ts'
import type { Assignment } from './dispatcher.ts'
import { expandTemplate, type TemplateValues } from './template.ts'

const label = (name: string): string => `com.docker.swarm.${name}`
export const taskIdLabel = label('task.id')
const nanosPerSecond = 1e9

/** `web.1.9mnpnzenvg8p8tdbtq4wvbkcz`; by its node where there is one on each. */
export const containerName = ({
  task,
  service,
}: {
  task: Pick<Assignment['task'], 'ID' | 'Slot' | 'NodeID'>
  service: Pick<Assignment['service'], 'name'>
}): string => `${service.name}.${task.Slot ?? task.NodeID}.${task.ID}`

export function templateValues(assignment: Assignment): TemplateValues {
  const { task, service, node } = assignment
  return {
    Service: { ID: service.id, Name: service.name, Labels: { ...service.labels } },
    Node: {
      ID: node.ID,
      Hostname: node.Description.Hostname,
      Platform: { Architecture: node.Description.Platform.Architecture, OS: node.Description.Platform.OS },
    },
    Task: { ID: task.ID, Name: containerName(assignment), Slot: String(task.Slot ?? task.NodeID ?? '') },
  }
}

export interface TaskNetworks {
  /** `host`, `none`, or the first network. */
  mode: string | undefined
  endpoints: Record<string, { Aliases: string[]; IPAMConfig?: { IPv4Address: string } }>
}

export function containerOf(assignment: Assignment, files: readonly Mount[], networks: TaskNetworks): CreateContainer {
  const { task, service, node } = assignment
  const spec = task.Spec.ContainerSpec ?? ({} as ContainerSpec)
  const values = templateValues(assignment)
  const expanded = (text: string): string => expandTemplate(text, { values })
  const labels = {
    ...spec.Labels,
    [label('node.id')]: node.ID,
    [label('service.id')]: service.id,
    [label('service.name')]: service.name,
    [label('task')]: '',
    [taskIdLabel]: task.ID,
    [label('task.name')]: containerName(assignment),
  }
  const hasCommand = (spec.Command ?? []).length > 0
  return CreateContainer.parse({
    Image: spec.Image,
    ...(hasCommand ? { Entrypoint: spec.Command, Cmd: spec.Args ?? [] } : { Cmd: spec.Args }),
    Hostname: spec.Hostname === undefined ? undefined : expanded(spec.Hostname),
    Env: [...(spec.Env ?? []).map(expanded), ...genericEnvironment(task.GenericResources ?? [])],
    ...{ WorkingDir: spec.Dir, User: spec.User, Labels: labels, StopSignal: spec.StopSignal },
    ...{ Tty: spec.TTY, OpenStdin: spec.OpenStdin, Healthcheck: spec.Healthcheck },
    ExposedPorts: Object.fromEntries((task.hostPorts ?? []).map((port) => [portName(port), {}])),
    HostConfig: { ...hostConfig(assignment, spec, networks), Mounts: [...mountsOf(spec, expanded), ...files] },
    NetworkingConfig: { EndpointsConfig: networks.endpoints },
  })
}

const mountsOf = ({ Mounts = [] }: ContainerSpec, expanded: (text: string) => string): Mount[] =>
  Mounts.filter(({ Type }) => Type !== 'cluster').map((mount) =>
    mount.Source === undefined ? mount : { ...mount, Source: expanded(mount.Source) },
  )

function hostConfig({ task, logDriver }: Assignment, spec: ContainerSpec, networks: TaskNetworks) {
  const { Limits, Reservations }: Partial<NonNullable<TaskSpec['Resources']>> = task.Spec.Resources ?? {}
  const { DNSConfig: dns } = spec
  const bindings = (task.hostPorts ?? []).map((port) => [
    portName(port),
    [{ HostPort: port.PublishedPort ? String(port.PublishedPort) : '' }],
  ])
  return {
    ...{ Memory: Limits?.MemoryBytes, NanoCpus: Limits?.NanoCPUs, PidsLimit: Limits?.Pids },
    MemoryReservation: Reservations?.MemoryBytes,
    ...{ GroupAdd: spec.Groups, ReadonlyRootfs: spec.ReadOnly, Init: spec.Init, Sysctls: spec.Sysctls },
    CapAdd: [...(spec.CapabilityAdd ?? []), ...(spec.CapAdd ?? [])],
    CapDrop: [...(spec.CapabilityDrop ?? []), ...(spec.CapDrop ?? [])],
    ...{ Ulimits: spec.Ulimits, OomScoreAdj: spec.OomScoreAdj, Isolation: spec.Isolation },
    ...{ Dns: dns?.Nameservers, DnsSearch: dns?.Search, DnsOptions: dns?.Options },
    ExtraHosts: (spec.Hosts ?? []).flatMap(extraHosts),
    ...(logDriver?.Name ? { LogConfig: { Type: logDriver.Name, Config: logDriver.Options ?? {} } } : {}),
    SecurityOpt: securityOptions(spec),
    PortBindings: Object.fromEntries(bindings),
    NetworkMode: networks.mode,
    RestartPolicy: { Name: 'no' },
  }
}

const portName = ({ TargetPort, Protocol }: { TargetPort?: number | undefined; Protocol?: string | undefined }) =>
  `${TargetPort ?? 0}/${Protocol || 'tcp'}`

/** As in /etc/hosts: an address and its names. */
function extraHosts(line: string): string[] {
  const [address = '', ...names] = line.trim().split(/\s+/)
  return names.map((name) => `${name}:${address}`)
}

function securityOptions({ Privileges }: ContainerSpec): string[] {
  const { NoNewPrivileges, Seccomp, AppArmor, SELinuxContext: label, CredentialSpec } = Privileges ?? {}
  if (CredentialSpec !== undefined && Object.values(CredentialSpec).some(Boolean)) {
    throw invalidParameter('credential specs are for Windows: this node runs Linux')
  }
  const labels = Object.entries({ user: label?.User, role: label?.Role, type: label?.Type, level: label?.Level })
  return [
    ...(NoNewPrivileges ? ['no-new-privileges=true'] : []),
    ...(Seccomp?.Mode === 'unconfined' ? ['seccomp=unconfined'] : []),
    ...(Seccomp?.Mode === 'custom' ? [`seccomp=${Buffer.from(Seccomp.Profile ?? '', 'base64').toString()}`] : []),
    ...(AppArmor?.Mode === 'disabled' ? ['apparmor=unconfined'] : []),
    ...(label?.Disable ? ['label=disable'] : []),
    ...labels.flatMap(([name, value]) => (value ? [`label=${name}:${value}`] : [])),
  ]
}

/** Seconds until it is killed; undefined: as its image says. */
export const graceSeconds = ({ StopGracePeriod }: ContainerSpec): number | undefined =>
  StopGracePeriod === undefined ? undefined : Math.ceil(StopGracePeriod / nanosPerSecond)

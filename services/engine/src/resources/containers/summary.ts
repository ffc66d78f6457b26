// A container as one line of the list.
import { networksView, shownMounts } from './endpoint-view.ts'
import type { ContainerRecord, ContainerState } from './record.ts'
import { duration, millisecondsOf } from './timestamps.ts'

export function summarize(record: ContainerRecord, now: number, imageName = record.imageName) {
  const { Annotations } = record.hostConfig
  return {
    Id: record.id,
    Names: [`/${record.name}`],
    Image: imageName,
    ImageID: record.imageId,
    Command: commandLine(record),
    Created: Math.floor(Date.parse(record.created) / 1000),
    Ports: portsView(record),
    Labels: record.config.Labels ?? {},
    State: record.state.status,
    Status: statusText(record.state, now),
    HostConfig: {
      NetworkMode: record.hostConfig.NetworkMode ?? '',
      ...(Annotations === undefined ? {} : { Annotations }),
    },
    NetworkSettings: { Networks: networksView(record) },
    Mounts: shownMounts(record),
  }
}

export type Summary = ReturnType<typeof summarize> & { SizeRw?: number; SizeRootFs?: number }

const commandLine = ({ path, args }: ContainerRecord): string =>
  [path, ...args.map((arg) => (arg.includes(' ') ? `'${arg}'` : arg))].join(' ')

export function statusText(state: ContainerState, now: number): string {
  const ago = (timestamp: string) => duration(now - millisecondsOf(timestamp))
  switch (state.status) {
    case 'running':
      return `Up ${ago(state.startedAt)}${healthText(state)}`
    case 'paused':
      return `Up ${ago(state.startedAt)} (Paused)`
    case 'restarting':
      return `Restarting (${state.exitCode}) ${ago(state.finishedAt)} ago`
    case 'removing':
      return 'Removal In Progress'
    case 'dead':
      return 'Dead'
    case 'created':
      return 'Created'
    case 'exited':
      return millisecondsOf(state.finishedAt) === 0
        ? 'Created'
        : `Exited (${state.exitCode}) ${ago(state.finishedAt)} ago`
  }
}

function healthText({ health }: ContainerState): string {
  if (health === undefined || health.Status === 'none') return ''
  return health.Status === 'starting' ? ' (health: starting)' : ` (${health.Status})`
}

export function portsView({ ports }: ContainerRecord) {
  return Object.entries(ports).flatMap(([port, places]) => {
    const [number, Type = 'tcp'] = port.split('/')
    const PrivatePort = Number(number)
    if (places === null || places.length === 0) return [{ PrivatePort, Type }]
    return places.map(({ HostIp, HostPort }) => ({ IP: HostIp, PrivatePort, PublicPort: Number(HostPort), Type }))
  })
}

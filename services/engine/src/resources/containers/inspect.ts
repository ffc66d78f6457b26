// Everything there is to know of a container.
import { networkSettings, shownMounts } from './endpoint-view.ts'
import type { EtcFiles } from './etc-files.ts'
import { shownHostConfig } from './host-config.ts'
import { shownLinks } from './links.ts'
import { logPath } from './log-config.ts'
import type { ContainerRecord } from './record.ts'
import type { ContainerConfig } from './schema.ts'

export interface Surroundings {
  folder: string
  files: EtcFiles
  execIds: readonly string[]
  size?: { own: number; all: number }
}

export function inspection(record: ContainerRecord, { folder, files, execIds, size }: Surroundings) {
  return {
    Id: record.id,
    Created: record.created,
    Path: record.path,
    Args: record.args,
    State: stateView(record),
    Image: record.imageId,
    ResolvConfPath: files.resolvConf,
    HostnamePath: files.hostname,
    HostsPath: files.hosts,
    LogPath: record.hostConfig.LogConfig?.Type === 'none' ? '' : logPath(folder),
    Name: `/${record.name}`,
    RestartCount: record.restartCount,
    Driver: 'overlay2',
    Platform: record.os,
    MountLabel: '',
    ProcessLabel: '',
    AppArmorProfile: '',
    ExecIDs: execIds.length === 0 ? null : [...execIds],
    HostConfig: { ...shownHostConfig(record.hostConfig), Links: shownLinks(record) },
    GraphDriver: graphDriver(record, folder),
    // ENG-235: the whole, as SizeRootFs.
    ...(size === undefined ? {} : { SizeRw: size.own, SizeRootFs: size.all, Size: size.all }),
    Mounts: shownMounts(record),
    Config: configView(record.config),
    NetworkSettings: networkSettings(record),
  }
}

function stateView({ state }: ContainerRecord) {
  const { status } = state
  return {
    Status: status,
    Running: status === 'running' || status === 'paused' || status === 'restarting',
    Paused: status === 'paused',
    Restarting: status === 'restarting',
    OOMKilled: state.oomKilled,
    Dead: status === 'dead',
    Pid: state.pid,
    ExitCode: state.exitCode,
    Error: state.error,
    StartedAt: state.startedAt,
    FinishedAt: state.finishedAt,
    ...(state.health === undefined ? {} : { Health: state.health }),
  }
}

function graphDriver({ rootfs }: ContainerRecord, folder: string) {
  return {
    Data: {
      LowerDir: rootfs?.lower.join(':') ?? '',
      MergedDir: `${folder}/bundle/rootfs`,
      UpperDir: rootfs?.upper ?? '',
      WorkDir: rootfs?.work ?? '',
    },
    Name: 'overlay2',
  }
}

function configView(config: ContainerConfig): Record<string, unknown> {
  const only = (name: keyof ContainerConfig): object => (config[name] ? { [name]: config[name] } : {})
  return {
    Hostname: config.Hostname ?? '',
    Domainname: config.Domainname ?? '',
    User: config.User ?? '',
    AttachStdin: config.AttachStdin ?? false,
    AttachStdout: config.AttachStdout ?? false,
    AttachStderr: config.AttachStderr ?? false,
    ...only('ExposedPorts'),
    Tty: config.Tty ?? false,
    OpenStdin: config.OpenStdin ?? false,
    StdinOnce: config.StdinOnce ?? false,
    Env: config.Env ?? [],
    Cmd: config.Cmd ?? null,
    ...only('Healthcheck'),
    ...only('ArgsEscaped'),
    Image: config.Image ?? '',
    Volumes: config.Volumes ?? null,
    WorkingDir: config.WorkingDir ?? '',
    Entrypoint: config.Entrypoint ?? null,
    ...only('NetworkDisabled'),
    ...only('MacAddress'),
    OnBuild: config.OnBuild ?? null,
    Labels: config.Labels ?? {},
    ...only('StopSignal'),
    ...(config.StopTimeout === undefined ? {} : { StopTimeout: config.StopTimeout }),
    ...only('Shell'),
  }
}

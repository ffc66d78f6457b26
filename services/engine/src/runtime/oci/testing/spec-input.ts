// A container as tests ask for one, on a machine that can do everything unless told otherwise.
import { randomBytes } from 'node:crypto'
import type { ContainerConfig, HostConfig } from '../../../resources/containers/schema.ts'
import {
  ContainerConfig as ContainerConfigSchema,
  HostConfig as HostConfigSchema,
} from '../../../resources/containers/schema.ts'
import { capabilityNames } from '../capability-names.ts'
import type { Control, HostFacts } from '../host.ts'
import type { SpecInput } from '../spec.ts'

const controls: Control[] = [
  'memory',
  'swap',
  'reservation',
  'swappiness',
  'oom-kill-disable',
  'kernel-tcp',
  'cpu-shares',
  'cpu-quota',
  'cpu-realtime',
  'cpuset',
  'pids',
  'blkio-weight',
  'blkio-weight-device',
  'blkio-throttle',
]

export const testHost = (changes: Partial<HostFacts> = {}): HostFacts => ({
  architecture: 'x86_64',
  kernel: [6, 1],
  capabilities: new Set(capabilityNames),
  hardLimits: {},
  maxOpenFiles: 1_048_576,
  oomScoreAdj: 0,
  cpus: 4,
  cgroupVersion: 1,
  controls: new Set(controls),
  sysctls: new Set(),
  initPath: '/usr/bin/tini-static',
  gpus: [],
  gpuControls: [],
  ...changes,
})

/** A request's fields as the schema leaves them. */
export const testConfig = (config: object = {}): ContainerConfig => ContainerConfigSchema.parse(config)
export const testHostConfig = (hostConfig: object = {}): HostConfig => HostConfigSchema.parse(hostConfig)

export interface Asked extends Partial<Omit<SpecInput, 'container'>> {
  config?: object
  hostConfig?: object
  args?: string[]
}

/** Another one in every test file: containers of two that run side by side must not meet. */
export const testId = randomBytes(32).toString('hex')

export const specInput = ({ config, hostConfig, args = [], ...rest }: Asked = {}): SpecInput => ({
  container: {
    id: testId,
    config: testConfig(config),
    hostConfig: testHostConfig(hostConfig),
    path: '/bin/sh',
    args,
  },
  mounts: [],
  host: testHost(),
  devices: { named: new Map(), blocks: new Map(), all: [] },
  identity: { passwd: '', group: '' },
  joined: {},
  etc: {},
  ...rest,
})

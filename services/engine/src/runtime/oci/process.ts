// The process part of a configuration: of a container's first process, and of those that join it later.
import { invalidParameter } from '../../errors.ts'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { HostConfig } from '../../resources/containers/schema.ts'
import type { OciProcess } from '../runtime.ts'
import { chooseCapabilities } from './capabilities.ts'
import { mergeEnvironment, startEnvironment, withHome } from './environment.ts'
import type { HostFacts } from './host.ts'
import { chooseOomScore, chooseRlimits } from './process-limits.ts'
import { parseSecurityOptions } from './security-options.ts'
import { type IdentityFiles, type ResolvedUser, resolveUser } from './users.ts'

type ProcessContainer = Pick<ContainerRecord, 'id' | 'config' | 'hostConfig'>

export const hostnameOf = ({ id, config, hostConfig }: ProcessContainer): string =>
  config.Hostname || (hostConfig.UTSMode === 'host' ? '' : id.slice(0, 12))

interface ProcessInput {
  container: ProcessContainer
  args: readonly string[]
  host: HostFacts
  identity: IdentityFiles
}

export function buildProcess({ container, args, host, identity }: ProcessInput): {
  process: OciProcess
  warnings: string[]
} {
  const { config, hostConfig } = container
  const user = resolveUser(config.User ?? '', hostConfig.GroupAdd ?? [], identity)
  const { capabilities, warnings: aboutCapabilities } = chooseCapabilities(hostConfig, host.capabilities)
  const { oomScoreAdj, warnings: aboutOom } = chooseOomScore(hostConfig, host)
  const { rlimits, warnings: aboutLimits } = chooseRlimits(hostConfig, host)
  const tty = config.Tty ?? false
  const env = startEnvironment({ hostname: hostnameOf(container), tty, env: config.Env ?? [] })
  return {
    process: {
      terminal: tty,
      ...sizeOf(tty ? hostConfig.ConsoleSize : undefined),
      user: plainUser(user),
      args: [...args],
      env: withHome(env, user.home),
      cwd: config.WorkingDir || '/',
      capabilities: capabilitySets(capabilities, user.uid),
      ...(rlimits.length > 0 ? { rlimits } : {}),
      noNewPrivileges: noNewPrivileges(hostConfig),
      oomScoreAdj,
    },
    warnings: [...aboutCapabilities, ...aboutLimits, ...aboutOom],
  }
}

export interface ExecRequest {
  cmd: readonly string[]
  env?: readonly string[]
  user?: string
  workingDir?: string
  privileged?: boolean
  tty: boolean
  consoleSize?: readonly [rows: number, columns: number]
}

interface ExecInput {
  container: ProcessContainer
  exec: ExecRequest
  host: HostFacts
  identity: IdentityFiles
}

/** It has what the container's own processes have; a privileged one has all that the engine can give. */
export function buildExecProcess({ container, exec, host, identity }: ExecInput): OciProcess {
  const { config, hostConfig } = container
  if (exec.cmd.length === 0) throw invalidParameter('No exec command specified')
  if (exec.workingDir && !exec.workingDir.startsWith('/')) {
    throw invalidParameter(`the working directory '${exec.workingDir}' is invalid, it needs to be an absolute path`)
  }
  const user = resolveUser(exec.user || config.User || '', hostConfig.GroupAdd ?? [], identity)
  const asked = exec.privileged ? { Privileged: true } : hostConfig
  const { capabilities } = chooseCapabilities(asked, host.capabilities)
  const { rlimits } = chooseRlimits(hostConfig, host)
  const env = startEnvironment({ hostname: hostnameOf(container), tty: exec.tty, env: config.Env ?? [] })
  return {
    terminal: exec.tty,
    ...sizeOf(exec.tty ? exec.consoleSize : undefined),
    user: plainUser(user),
    args: [...exec.cmd],
    env: withHome(mergeEnvironment(env, exec.env ?? []), user.home),
    cwd: exec.workingDir || config.WorkingDir || '/',
    capabilities: capabilitySets(capabilities, user.uid),
    ...(rlimits.length > 0 ? { rlimits } : {}),
    noNewPrivileges: noNewPrivileges(hostConfig),
  }
}

const plainUser = ({ uid, gid, additionalGids }: ResolvedUser): OciProcess['user'] => ({
  uid,
  gid,
  ...(additionalGids.length > 0 ? { additionalGids } : {}),
})

/** Others than root may only ever regain them, through programs that are allowed to. */
function capabilitySets(all: string[], uid: number): NonNullable<OciProcess['capabilities']> {
  const own = uid === 0 ? all : []
  return { bounding: all, effective: own, permitted: own, inheritable: [], ambient: [] }
}

const noNewPrivileges = ({ SecurityOpt = [] }: HostConfig): boolean =>
  parseSecurityOptions(SecurityOpt).options.noNewPrivileges

function sizeOf(size: readonly [rows: number, columns: number] | undefined): Pick<OciProcess, 'consoleSize'> {
  const [height = 0, width = 0] = size ?? []
  return height > 0 && width > 0 ? { consoleSize: { height, width } } : {}
}

// From the query of POST /build to what a build is asked for. What is not done is refused, not left out.
import type { BuildOptions } from '../../build/options.ts'
import { invalidParameter, notImplemented } from '../../errors.ts'
import { parsePlatform } from '../../images/platform.ts'
import { canonicalName, checkNewName, parseReference } from '../../images/reference.ts'
import type { HostSettings } from '../containers/schema.ts'
import type { BuildQuery } from './schema.ts'

const classicOnly =
  'BuildKit is not part of this engine yet: set DOCKER_BUILDKIT=0, and the same Dockerfile is built by the classic builder'

export function readBuildOptions(query: BuildQuery): BuildOptions {
  refuse(query)
  return {
    buildArgs: query.buildargs,
    labels: query.labels,
    target: query.target,
    platform: query.platform === '' ? undefined : parsePlatform(query.platform),
    names: query.t.map(nameOf),
    isCacheOff: query.nocache,
    pulls: query.pull,
    cacheFrom: query.cachefrom,
    networkMode: query.networkmode,
    extraHosts: query.extrahosts,
    limits: limitsOf(query),
  }
}

function refuse({ version, outputs, squash, isolation }: BuildQuery): void {
  if (version !== '' && version !== '1') throw notImplemented(classicOnly)
  if (outputs !== '' && outputs !== '[]' && outputs !== 'null') throw notImplemented(`outputs: ${classicOnly}`)
  if (squash) throw invalidParameter('squash is only supported with experimental mode')
  if (isolation !== '' && isolation !== 'default') {
    throw invalidParameter(`invalid isolation: "${isolation}" is not supported on linux`)
  }
}

export const refuseBuildKit = () => notImplemented(classicOnly)

function nameOf(text: string): string {
  const reference = parseReference(text)
  checkNewName(reference)
  return canonicalName(reference)
}

/** Zero and nothing mean: no limit (ENG-424, ENG-425, ENG-426). */
function limitsOf(query: BuildQuery): HostSettings {
  const numbers = {
    ...{ Memory: query.memory, MemorySwap: query.memswap, CpuShares: query.cpushares },
    ...{ CpuPeriod: query.cpuperiod, CpuQuota: query.cpuquota, ShmSize: query.shmsize },
  }
  const texts = { CpusetCpus: query.cpusetcpus, CpusetMems: query.cpusetmems, CgroupParent: query.cgroupparent }
  const given = Object.entries({ ...numbers, ...texts }).filter(
    ([, value]) => value !== undefined && value !== 0 && value !== '',
  )
  return { ...Object.fromEntries(given), ...(query.ulimits.length > 0 && { Ulimits: query.ulimits }) }
}

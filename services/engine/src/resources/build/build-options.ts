// From the query of POST /build to what a build is asked for. What is not done is refused, not left out.
import { readImageName } from '../../build/image-name.ts'
import type { BuildOptions } from '../../build/options.ts'
import { invalidParameter, notImplemented } from '../../errors.ts'
import { parsePlatform } from '../../images/platform.ts'
import type { HostSettings } from '../containers/schema.ts'
import type { BuildQuery } from './schema.ts'

export function readBuildOptions(query: BuildQuery): BuildOptions {
  refuse(query)
  return {
    isBuildKit: query.version === '2',
    buildArgs: query.buildargs,
    labels: query.labels,
    target: query.target,
    platform: query.platform === '' ? undefined : parsePlatform(query.platform),
    names: query.t.map(readImageName),
    isCacheOff: query.nocache,
    pulls: query.pull,
    cacheFrom: query.cachefrom,
    isCacheFromOnly: query.version !== '2' && query.cachefrom.length > 0,
    networkMode: query.networkmode,
    extraHosts: query.extrahosts,
    limits: limitsOf(query),
  }
}

function refuse({ version, outputs, squash, isolation }: BuildQuery): void {
  if (version !== '' && version !== '1' && version !== '2')
    throw invalidParameter(`invalid builder version: ${version}`)
  if (version !== '2' && outputs.length > 0) throw notImplemented('outputs need BuildKit (version=2)')
  if (squash) throw invalidParameter('squash is only supported with experimental mode')
  if (isolation !== '' && isolation !== 'default') {
    throw invalidParameter(`invalid isolation: "${isolation}" is not supported on linux`)
  }
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

// Limits that make no sense, in the words clients know.
import type { Resources } from '../../resources/containers/schema.ts'
import type { HostFacts } from './host.ts'

const minMemoryBytes = 6 * 1024 * 1024

export function checkResources(asked: Resources, host: HostFacts): string[] {
  return [...checkMemory(asked), ...checkCpu(asked, host), ...checkCpuset(asked, host), ...checkBlockIo(asked)]
}

function checkMemory(asked: Resources): string[] {
  const { Memory = 0, MemorySwap = 0, MemoryReservation = 0, MemorySwappiness = -1, PidsLimit = 0 } = asked
  return when([
    [Memory < 0, `Memory cannot be negative: ${Memory}`],
    [Memory > 0 && Memory < minMemoryBytes, 'Minimum memory limit allowed is 6MB'],
    [
      Memory > 0 && MemorySwap > 0 && MemorySwap < Memory,
      'Minimum memoryswap limit should be larger than memory limit, see usage',
    ],
    [Memory === 0 && MemorySwap > 0, 'You should always set the Memory limit when using Memoryswap limit, see usage'],
    [MemorySwap < -1, `MemorySwap must be -1 (unlimited), 0 or more: ${MemorySwap}`],
    [
      MemorySwappiness < -1 || MemorySwappiness > 100,
      `Invalid value: ${MemorySwappiness}, valid memory swappiness range is 0-100`,
    ],
    [MemoryReservation < 0, `MemoryReservation cannot be negative: ${MemoryReservation}`],
    [MemoryReservation > 0 && MemoryReservation < minMemoryBytes, 'Minimum memory reservation allowed is 6MB'],
    [
      Memory > 0 && MemoryReservation > Memory,
      'Minimum memory limit can not be less than memory reservation limit, see usage',
    ],
    [PidsLimit < -1, `PidsLimit must be -1 or 0 (unlimited), or more: ${PidsLimit}`],
  ])
}

function checkCpu(asked: Resources, { cpus }: HostFacts): string[] {
  const { NanoCpus = 0, CpuPeriod = 0, CpuQuota = 0, CpuShares = 0 } = asked
  const { CpuRealtimePeriod = 0, CpuRealtimeRuntime = 0 } = asked
  return when([
    [NanoCpus > 0 && CpuPeriod > 0, 'Conflicting options: Nano CPUs and CPU Period cannot both be set.'],
    [NanoCpus > 0 && CpuQuota > 0, 'Conflicting options: Nano CPUs and CPU Quota cannot both be set.'],
    [
      NanoCpus < 0 || NanoCpus > cpus * 1e9,
      `Range of CPUs is from 0.01 to ${cpus}.00, as there are only ${cpus} CPUs available`,
    ],
    [CpuShares < 0, `CPU shares cannot be negative: ${CpuShares}`],
    [
      CpuPeriod !== 0 && (CpuPeriod < 1_000 || CpuPeriod > 1_000_000),
      'CPU cfs period can not be less than 1ms (i.e. 1000) or larger than 1s (i.e. 1000000)',
    ],
    [CpuQuota < -1 || (CpuQuota > 0 && CpuQuota < 1_000), 'CPU cfs quota can not be less than 1ms (i.e. 1000)'],
    [CpuRealtimePeriod < 0 || CpuRealtimeRuntime < 0, 'cpu real-time period and runtime cannot be negative'],
    [
      CpuRealtimePeriod !== 0 && CpuRealtimeRuntime > CpuRealtimePeriod,
      'cpu real-time runtime cannot be higher than cpu real-time period',
    ],
  ])
}

const maxCpuNumber = 8_191

/** `0-2,4`; undefined: it is written otherwise. */
function readList(text: string): number[] | undefined {
  const numbers: number[] = []
  for (const part of text.split(',')) {
    const found = /^\s*(\d{1,4})(?:-(\d{1,4}))?\s*$/.exec(part)
    if (found === null) return undefined
    const first = Number(found[1])
    const last = Number(found[2] ?? found[1])
    if (last < first || last > maxCpuNumber) return undefined
    for (let number = first; number <= last; number++) numbers.push(number)
  }
  return numbers
}

function checkCpuset({ CpusetCpus = '', CpusetMems = '' }: Resources, { cpus }: HostFacts): string[] {
  const asked = CpusetCpus === '' ? [] : readList(CpusetCpus)
  const memories = CpusetMems === '' ? [] : readList(CpusetMems)
  return when([
    [asked === undefined, `Invalid value ${CpusetCpus} for cpuset cpus`],
    [
      asked?.some((cpu) => cpu >= cpus) ?? false,
      `Requested CPUs are not available - requested ${CpusetCpus}, available: 0-${cpus - 1}`,
    ],
    [memories === undefined, `Invalid value ${CpusetMems} for cpuset mems`],
  ])
}

function checkBlockIo(asked: Resources): string[] {
  const { BlkioWeight = 0, BlkioWeightDevice = [] } = asked
  const isOutside = (weight: number): boolean => weight !== 0 && (weight < 10 || weight > 1_000)
  const rates = [
    ...(asked.BlkioDeviceReadBps ?? []),
    ...(asked.BlkioDeviceWriteBps ?? []),
    ...(asked.BlkioDeviceReadIOps ?? []),
    ...(asked.BlkioDeviceWriteIOps ?? []),
  ]
  return [
    ...when([[isOutside(BlkioWeight), 'Range of blkio weight is from 10 to 1000']]),
    ...BlkioWeightDevice.filter(({ Weight }) => isOutside(Weight)).map(
      ({ Path }) => `Range of blkio weight is from 10 to 1000: ${Path}`,
    ),
    ...rates
      .filter(({ Rate }) => Rate < 0)
      .map(({ Path, Rate }) => `block I/O rate of ${Path} cannot be negative: ${Rate}`),
    ...[...rates, ...BlkioWeightDevice]
      .filter(({ Path }) => !Path.startsWith('/'))
      .map(({ Path }) => `bad format for device path: ${Path}`),
  ]
}

export const when = (rules: readonly (readonly [isBroken: boolean, problem: string])[]): string[] =>
  rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem)

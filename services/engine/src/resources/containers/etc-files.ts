// /etc/hosts, /etc/hostname and /etc/resolv.conf of a container: files of its folder, mounted over the image's own.
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hostsFile, withNames, withOwnLines } from '../../network/hosts-file.ts'
import { networked } from './endpoints.ts'
import { joinedContainer } from './host-config.ts'
import { linkedContainers } from './links.ts'
import type { ContainerRecord } from './record.ts'
import type { World } from './world.ts'

export interface EtcFiles {
  hosts: string
  hostname: string
  resolvConf: string
}

/** A container in another's network has the other's files. */
export function etcFilesOf(world: World, record: ContainerRecord): EtcFiles {
  const other = joinedContainer(record.hostConfig.NetworkMode)
  const owner = other === undefined ? record : (world.registry.find(other)?.record ?? record)
  const folder = world.folderOf(owner.id)
  return {
    hosts: join(folder, 'hosts'),
    hostname: join(folder, 'hostname'),
    resolvConf: join(folder, 'resolv.conf'),
  }
}

/** Before the process is made: the files have to be there to be mounted. */
export async function writeEtcFiles(world: World, record: ContainerRecord): Promise<EtcFiles> {
  const files = etcFilesOf(world, record)
  if (joinedContainer(record.hostConfig.NetworkMode) !== undefined) return files
  const { pid: _, ...container } = networked(record, 0)
  const [resolvConf, hosts] = await Promise.all([
    world.ports.networking.resolvConf(container),
    hostsText(world, record),
  ])
  await Promise.all([
    writeFile(files.hostname, `${record.config.Hostname ?? ''}\n`),
    writeResolvConf(files, resolvConf),
    writeFile(files.hosts, hosts),
  ])
  return files
}

/** Beside it stands what the engine wrote, so that it knows when somebody in the container wrote something else. */
const givenResolvConf = ({ resolvConf }: EtcFiles): string => `${resolvConf}.given`

async function writeResolvConf(files: EtcFiles, text: string): Promise<void> {
  await Promise.all([writeFile(files.resolvConf, text), writeFile(givenResolvConf(files), text)])
}

/**
 * A running container came to a network or left one: it asks the name servers of the networks it is on, and finds its
 * own addresses. What was written in the container stays.
 */
export async function followNetworks(world: World, before: ContainerRecord, record: ContainerRecord): Promise<void> {
  const files = etcFilesOf(world, record)
  const { pid: _, ...container } = networked(record, 0)
  const [wanted, given, found, hosts] = await Promise.all([
    world.ports.networking.resolvConf(container),
    readSmall(givenResolvConf(files)),
    readSmall(files.resolvConf),
    readSmall(files.hosts),
  ])
  if (found !== undefined && found === given && wanted !== found) await writeResolvConf(files, wanted)
  if (hosts === undefined) return
  const changed = withOwnLines(hosts, ownAddresses(before), ownAddresses(record))
  if (changed !== hosts) await writeFile(files.hosts, changed)
}

const maxFileBytes = 1024 ** 2

/** The container may have written anything there; what is absurd, or not there, is left alone. */
async function readSmall(path: string): Promise<string | undefined> {
  const { size } = await stat(path).catch(() => ({ size: Number.POSITIVE_INFINITY }))
  return size > maxFileBytes ? undefined : readFile(path, 'utf8')
}

const ownAddresses = ({ config, endpoints }: ContainerRecord) => ({
  hostname: config.Hostname ?? '',
  domainname: config.Domainname ?? '',
  addresses: Object.values(endpoints)
    .flatMap(({ IPAddress, GlobalIPv6Address }) => [IPAddress, GlobalIPv6Address])
    .flatMap((address) => address || []),
})

/** Once addresses are known. The file is written in place: it is mounted already. */
export async function writeHosts(world: World, record: ContainerRecord): Promise<void> {
  if (joinedContainer(record.hostConfig.NetworkMode) !== undefined) return
  await writeFile(join(world.folderOf(record.id), 'hosts'), await hostsText(world, record))
}

async function hostsText(world: World, record: ContainerRecord): Promise<string> {
  const { hostConfig, endpoints } = record
  const given = Object.values(endpoints)
  const host = {
    ...ownAddresses(record),
    extraHosts: hostConfig.ExtraHosts ?? [],
    hostGateway: given.find(({ Gateway }) => Gateway)?.Gateway ?? '127.0.0.1',
    links: linkedContainers(world, record).map(({ alias, address, record: other }) => ({
      address,
      names: [alias, other.config.Hostname ?? '', other.name].filter(Boolean),
    })),
  }
  if (hostConfig.NetworkMode !== 'host') return hostsFile(host)
  const own = await readFile('/etc/hosts', 'utf8').catch(() => undefined)
  return own === undefined ? hostsFile(host) : withNames(own, host)
}

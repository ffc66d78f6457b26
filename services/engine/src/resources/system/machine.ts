// What the machine tells of itself; what it does not tell is empty.
import { access, readdir, readFile, statfs } from 'node:fs/promises'
import { release } from 'node:os'

export interface SystemName {
  /** `Debian GNU/Linux 12 (bookworm)` */
  name: string
  /** `12` */
  version: string
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

export async function readSystemName(): Promise<SystemName> {
  const text = (await readText('/etc/os-release')) || (await readText('/usr/lib/os-release'))
  return parseOsRelease(text)
}

export function parseOsRelease(text: string): SystemName {
  const value = (key: string): string => {
    const [, quote = '', plain = ''] = new RegExp(`^${key}=(["']?)(.*?)\\1$`, 'm').exec(text) ?? []
    return quote === '"' ? plain.replace(/\\(["$`\\])/g, '$1') : plain
  }
  return { name: value('PRETTY_NAME'), version: value('VERSION_ID') }
}

export async function isOn(path: string): Promise<boolean> {
  return (await readText(path)).trim() === '1'
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

export const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd').catch(() => [])).length

const fileSystems: Record<number, string> = {
  61267: 'extfs',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  16914836: 'tmpfs',
  2035054128: 'overlayfs',
  801189825: 'zfs',
}

export async function fileSystemOf(folder: string): Promise<string> {
  try {
    return fileSystems[Number((await statfs(folder)).type)] ?? '<unknown>'
  } catch {
    return '<unknown>'
  }
}

export const kernelRelease = release

const goArchitectures: Record<string, string> = { x64: 'amd64', ia32: '386', arm64: 'arm64' }

/** As clients written in Go name it. */
export const goArchitecture = (): string => goArchitectures[process.arch] ?? process.arch

/** A proxy of the environment, without the password in it. */
export function proxyOf(name: string, environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment[name] ?? environment[name.toLowerCase()] ?? ''
  return given.replace(/^([a-z][a-z0-9+.-]*:\/\/|)[^/@]*@/i, '$1xxxxx:xxxxx@')
}

// Options of file systems in memory.
import type { Mount } from '../resources/containers/schema.ts'

const defaults = ['noexec', 'nosuid', 'nodev']

/** Words of which only the last one said counts. */
const pairs: readonly (readonly string[])[] = [
  ['exec', 'noexec'],
  ['suid', 'nosuid'],
  ['dev', 'nodev'],
  ['ro', 'rw'],
  ['async', 'sync'],
  ['dirsync', 'nodirsync'],
  ['atime', 'noatime', 'relatime', 'norelatime', 'strictatime', 'nostrictatime'],
  ['diratime', 'nodiratime'],
  ['mand', 'nomand'],
  ['private', 'rprivate', 'shared', 'rshared', 'slave', 'rslave', 'unbindable', 'runbindable'],
]
const flags = new Set([...pairs.flat(), 'defaults'])
const valued: Readonly<Record<string, RegExp>> = {
  size: /^\d+[kmgKMG%]?$/,
  mode: /^[0-7]{1,5}$/,
  uid: /^\d+$/,
  gid: /^\d+$/,
  nr_inodes: /^\d+[kmgKMG]?$/,
  nr_blocks: /^\d+[kmgKMG]?$/,
  mpol: /^[\w=:,-]+$/,
}

const isKnown = (option: string): boolean => {
  const [name = '', value] = splitOnce(option)
  return value === undefined ? flags.has(name) : (valued[name]?.test(value) ?? false)
}

const splitOnce = (option: string): [string, string | undefined] => {
  const at = option.indexOf('=')
  return at < 0 ? [option, undefined] : [option.slice(0, at), option.slice(at + 1)]
}

/** The guards that every such mount has unless they are taken off, then what was asked for. */
function merge(asked: readonly string[]): string[] {
  const kindOf = (option: string): string => {
    const index = pairs.findIndex((pair) => pair.includes(option))
    return index < 0 ? splitOnce(option)[0] : String(index)
  }
  const byKind = new Map([...defaults, ...asked].map((option) => [kindOf(option), option]))
  return [...byKind.values()].filter((option) => option !== 'defaults')
}

export interface TmpfsOptions {
  options: string[]
  problems: string[]
}

/** HostConfig.Tmpfs: `rw,size=64k`. */
export function readTmpfs(text: string): TmpfsOptions {
  const asked = text.split(',').filter(Boolean)
  const wrong = asked.filter((option) => !isKnown(option))
  return { options: merge(asked), problems: wrong.map((option) => `invalid tmpfs option ["${option}"]`) }
}

/** Mounts of type tmpfs. ENG-100: further options, as `["uid", "1000"]` or `["exec"]`. */
export function mountTmpfs({ TmpfsOptions }: Mount): TmpfsOptions {
  const { SizeBytes = 0, Mode = 0, Options = [] } = TmpfsOptions ?? {}
  const further = Options.map((parts) => parts.join('='))
  const asked = [
    ...(Mode > 0 ? [`mode=${Mode.toString(8)}`] : []),
    ...(SizeBytes > 0 ? [`size=${SizeBytes}`] : []),
    ...further,
  ]
  const problems = [
    ...Options.filter(({ length }) => length < 1 || length > 2).map(
      () => 'invalid option array: an option has one part, or two: name and value',
    ),
    ...further.filter((option) => !isKnown(option)).map((option) => `invalid tmpfs option ["${option}"]`),
    ...(SizeBytes < 0 ? ['TmpfsOptions.SizeBytes cannot be negative'] : []),
    ...(Mode < 0 || Mode > 0o7777 ? ['TmpfsOptions.Mode must be a file mode'] : []),
  ]
  return { options: merge(asked), problems }
}

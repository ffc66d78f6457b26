// What the installed package depends on, in the versions that package-lock.json has for this checkout.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../places.ts'

interface LockedPackage {
  version?: string
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  link?: boolean
}

type Locked = Record<string, LockedPackage>

/** The console is put together before, and needs no package then. */
const workspaces = /^(cli|(packages\/(?!testkit|clients-)|services\/)[^/]+)$/

const readLock = (): Locked => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages

interface Dependencies {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

/** Of all workspaces that an installed Atoll has. */
export function ownDependencies(locked = readLock()): Dependencies {
  const all: Dependencies = { dependencies: {}, optionalDependencies: { ...locked['']?.optionalDependencies } }
  for (const [path, entry] of Object.entries(locked).filter(([path]) => workspaces.test(path))) {
    for (const kind of ['dependencies', 'optionalDependencies'] as const) {
      for (const [name, version] of Object.entries(entry[kind] ?? {}).filter(([name]) => !name.startsWith('@atoll/'))) {
        const other = all[kind][name] ?? version
        if (other !== version) throw new Error(`${path} depends on ${name} ${version}, another workspace on ${other}`)
        all[kind][name] = version
      }
    }
  }
  return all
}

/** The same, with all that these depend on: `packages` of an npm-shrinkwrap.json, without the first entry. */
export function lockedDependencies(): Locked {
  const locked = readLock()
  const own = ownDependencies(locked)
  const found = new Map<string, { entry: LockedPackage; isOptional: boolean }>()
  const visit = (from: string, name: string, isOptional: boolean): void => {
    const path = pathOf(locked, from, name)
    if (path === undefined) {
      if (isOptional) return
      throw new Error(`package-lock.json lacks ${name}, which ${from || 'Atoll'} needs`)
    }
    const entry = locked[path] as LockedPackage
    const place = path.replace(/^(?!node_modules\/).*?\/(?=node_modules\/)/, '')
    const known = found.get(place)
    if (known !== undefined && known.entry.version !== entry.version) {
      throw new Error(`${name} is needed as ${known.entry.version} and as ${entry.version} in one place`)
    }
    if (known !== undefined && (!known.isOptional || isOptional)) return
    found.set(place, { entry, isOptional })
    for (const next of Object.keys(needed(entry))) visit(path, next, isOptional)
    for (const next of Object.keys(entry.optionalDependencies ?? {})) visit(path, next, true)
  }
  for (const name of Object.keys(own.dependencies)) visit(workspaceOf(locked, name), name, false)
  for (const name of Object.keys(own.optionalDependencies)) visit(workspaceOf(locked, name), name, true)
  const entries = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([place, { entry, isOptional }]) => [place, withFlags(entry, isOptional)]))
}

const workspaceOf = (locked: Locked, name: string): string =>
  Object.keys(locked).find((path) => workspaces.test(path) && `${path}/node_modules/${name}` in locked) ?? ''

/** A package may list one of its optional packages among the others too. */
function needed(entry: LockedPackage): Record<string, string> {
  const peers = Object.entries(entry.peerDependencies ?? {}).filter(
    ([name]) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  )
  const all = { ...entry.dependencies, ...Object.fromEntries(peers) }
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in (entry.optionalDependencies ?? {}))))
}

/** As Node looks for it: beside the one that asks, then further up. */
function pathOf(locked: Locked, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder && `${folder}/`}node_modules/${name}`
    if (path in locked) return path
    if (folder === '') return undefined
  }
}

function withFlags(
  { dev: _, devOptional: __, optional: ___, ...entry }: LockedPackage,
  optional: boolean,
): LockedPackage {
  return optional ? { ...entry, optional } : entry
}

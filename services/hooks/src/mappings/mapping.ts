// A mapping that is ready to be used: its id given, its transform loaded.
import type { Mappings } from '../ports.ts'
import type { MappingConfig, MappingsConfig } from './config.ts'
import { readPubSub } from './envelopes.ts'
import { type Preset, presets } from './presets.ts'
import type { Transform } from './transforms/transforms.ts'

export interface Mapping extends Omit<MappingConfig, 'id' | 'transform'> {
  id: string
  /** Where it stands in the configuration, for words about it: `hooks.mappings[0]`. */
  key: string
  isPreset: boolean
  transform?: Transform
  /** What templates and the transform get in place of the body. Null: there is nothing to start. */
  read?: Preset['read']
}

/** In the order they are tried: explicit ones before presets. */
export function namedMappings({ mappings, presets: names }: MappingsConfig) {
  const explicit = mappings.map((mapping, index) => ({
    ...mapping,
    id: mapping.id ?? `mapping-${index + 1}`,
    key: `hooks.mappings[${index}]`,
    isPreset: false,
    ...(mapping.envelope === 'pubsub' ? { read: readPubSub } : {}),
  }))
  const builtIn = [...new Set(names)].map((name) => ({
    ...presets[name],
    id: name as string,
    key: `hooks.presets (${name})`,
    isPreset: true,
  }))
  return [...explicit, ...builtIn]
}

export type Matched = Parameters<Mappings['find']>[0]

/** The path behind `hooks.path`, and exactly `source` of the body (HOOK-012, HOOK-075). No `match`: everything. */
export function matches({ match }: Pick<Mapping, 'match'>, { path, payload, headers }: Matched): boolean {
  if (match?.path !== undefined && match.path !== path) return false
  if (Object.entries(match?.headers ?? {}).some(([name, wanted]) => !isOneOf(headers[name], wanted))) return false
  if (match?.source === undefined) return true
  return Object.hasOwn(payload, 'source') && payload.source === match.source
}

const isOneOf = (given: string | string[] | undefined, wanted: string | string[]): boolean =>
  typeof given === 'string' && (typeof wanted === 'string' ? given === wanted : wanted.includes(given))

/** GitHub tries a new address with a ping. Nobody means it, unless a mapping asks for it by name. */
export const isPing = ({ match }: Pick<Mapping, 'match'>, headers: Record<string, string>): boolean =>
  headers[githubEvent] === 'ping' && match?.headers?.[githubEvent] === undefined

const githubEvent = 'x-github-event'

/** Ids that two have, with the keys of both. */
export function sharedIds(mappings: readonly Pick<Mapping, 'id' | 'key' | 'isPreset'>[]): string[] {
  const first = new Map<string, string>()
  return mappings.flatMap(({ id, key, isPreset }) => {
    const other = first.get(id)
    if (other === undefined) first.set(id, key)
    if (other === undefined) return []
    // A preset's id is what it is; the other one can change.
    const [changed, kept] = isPreset ? [other, key] : [key, other]
    return [`${changed}.id: ${id} is the id of ${kept} too; give it another`]
  })
}

// `RUN --mount=type=cache,target=/root/.cache`.
import type { MountType, RunMount } from './dockerfile.ts'
import { Wrong } from './problem.ts'

/** Other words for the same. */
const aliases: Readonly<Record<string, string>> = {
  ...{ src: 'source', dst: 'target', destination: 'target', ro: 'readonly', rw: 'readwrite' },
}
const switches = ['readonly', 'readwrite', 'required']
const owned = ['mode', 'uid', 'gid']

/** What each type may say besides where it is mounted. */
const optionsOf: Readonly<Record<MountType, readonly string[]>> = {
  bind: ['from', 'source', 'target', 'readonly', 'readwrite'],
  cache: ['from', 'source', 'target', 'readonly', 'readwrite', 'id', 'sharing', ...owned],
  tmpfs: ['target', 'readonly', 'readwrite', 'size'],
  secret: ['source', 'target', 'id', 'required', 'env', ...owned],
  ssh: ['source', 'target', 'id', 'required', ...owned],
}
const allOptions = new Set(Object.values(optionsOf).flat())

export function readRunMount(text: string): RunMount {
  const options = new Map<string, string>()
  let type: MountType = 'bind'
  for (const field of fieldsOf(text)) {
    const cut = field.indexOf('=')
    const written = (cut === -1 ? field : field.slice(0, cut)).toLowerCase()
    const key = Object.hasOwn(aliases, written) ? (aliases[written] ?? written) : written
    const value = cut === -1 ? undefined : field.slice(cut + 1)
    if (key === 'type') {
      type = typeOf(value ?? '')
      continue
    }
    if (!allOptions.has(key)) throw new Wrong(`unexpected key '${written}' in '${field}'`)
    if (value === undefined && !switches.includes(key)) {
      throw new Wrong(`invalid field '${field}' must be a key=value pair`)
    }
    options.set(key, value ?? 'true')
  }
  check(type, options)
  return { type, options }
}

function typeOf(text: string): MountType {
  const type = text.toLowerCase()
  if (!Object.hasOwn(optionsOf, type)) throw new Wrong(`unsupported mount type "${text}"`)
  return type as MountType
}

function check(type: MountType, options: ReadonlyMap<string, string>): void {
  const wrong = [...options.keys()].find((key) => !optionsOf[type].includes(key))
  if (wrong !== undefined) throw new Wrong(`unexpected key '${wrong}' for mount type '${type}'`)
  if (options.get('from')?.includes('$') === true) {
    throw new Wrong("'from' doesn't support variable expansion, define alias stage instead")
  }
  const isNamed = ['source', 'target', 'id'].some((key) => options.has(key))
  if (type === 'secret' && !isNamed) throw new Wrong('invalid secret mount. one of source, target required')
  if (type === 'secret' && options.has('source') && options.has('id')) {
    throw new Wrong("both source and id can't be set")
  }
  const sharing = options.get('sharing')?.toLowerCase() ?? 'shared'
  if (!['shared', 'private', 'locked'].includes(sharing) && !sharing.includes('$')) {
    throw new Wrong(`unsupported sharing value "${sharing}"`)
  }
  for (const [key, form] of numberForms) {
    const value = options.get(key)
    if (value !== undefined && !value.includes('$') && !form.test(value)) {
      throw new Wrong(`invalid value ${value} for ${key}`)
    }
  }
}

const numberForms: [string, RegExp][] = [
  ['mode', /^[0-7]{1,6}$/],
  ['uid', /^\d{1,10}$/],
  ['gid', /^\d{1,10}$/],
  ['size', /^\d+(\.\d+)?\s*[kmgtp]?i?b?$/i],
  ['readonly', /^(1|t|true|0|f|false)$/i],
  ['readwrite', /^(1|t|true|0|f|false)$/i],
  ['required', /^(1|t|true|0|f|false)$/i],
]

/** Values between commas; one that has commas or quotes itself stands in quotes, doubled within. */
function fieldsOf(text: string): string[] {
  const fields: string[] = []
  let rest = text
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"(?=,|$)/.exec(rest)
    const plain = /^[^,]*/.exec(rest)?.[0] ?? ''
    if (quoted === null && plain.includes('"')) throw new Wrong('failed to parse csv mounts: bare " in a field')
    fields.push(quoted?.[1]?.replaceAll('""', '"') ?? plain)
    rest = rest.slice((quoted?.[0] ?? plain).length)
    if (rest === '') return fields
    rest = rest.slice(1)
  }
}

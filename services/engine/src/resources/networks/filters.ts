// Which networks a list or a prune asks for.
import { invalidParameter } from '../../errors.ts'
import { type NetworkRecord, predefinedNames, scopeOf } from '../../network/network-record.ts'
import type { Filters } from '../query/schema.ts'

type Test = (record: NetworkRecord, values: readonly string[]) => boolean

const scopes = new Set(['local', 'swarm', 'global'])

/** Some networks are in use by containers, running or not. */
export function listTest(filters: Filters, isUsed: (record: NetworkRecord) => boolean): (r: NetworkRecord) => boolean {
  const tests: Record<string, Test> = {
    name: ({ name }, values) => values.some((value) => name.includes(value)),
    id: ({ id }, values) => values.some((value) => id.includes(value)),
    driver: ({ driver }, values) => values.includes(driver),
    label: hasLabels,
    scope: (record, values) => values.includes(scopeOf(record)),
    type: ({ name }, values) => values.includes(predefinedNames.has(name) ? 'builtin' : 'custom'),
    dangling: (record, values) =>
      values.some((value) => readSwitch(value) === (!isUsed(record) && !predefinedNames.has(record.name))),
  }
  refuseUnknown(filters, Object.keys(tests))
  refuseValues(filters, 'type', (value) => value === 'custom' || value === 'builtin')
  refuseValues(filters, 'scope', (value) => scopes.has(value))
  refuseValues(filters, 'dangling', (value) => readSwitch(value) !== undefined)
  const asked = Object.entries(filters).filter(([, values]) => values.length > 0)
  return (record) => asked.every(([name, values]) => tests[name]?.(record, values) ?? false)
}

/** ENG-713 to ENG-716, and `until`. */
export function pruneTest(filters: Filters, now: number): (record: NetworkRecord) => boolean {
  refuseUnknown(filters, ['label', 'label!', 'until'])
  const { label = [], 'label!': not = [], until = [] } = filters
  if (until.length > 1) throw invalidParameter("more than one 'until' filter specified")
  const before = until[0] === undefined ? undefined : readMoment(until[0], now)
  return (record) =>
    hasLabels(record, label) &&
    !not.some((value) => hasLabels(record, [value])) &&
    (before === undefined || Date.parse(record.created) <= before)
}

function hasLabels({ labels }: NetworkRecord, values: readonly string[]): boolean {
  return values.every((value) => {
    const at = value.indexOf('=')
    return at < 0 ? Object.hasOwn(labels, value) : labels[value.slice(0, at)] === value.slice(at + 1)
  })
}

const readSwitch = (text: string): boolean | undefined =>
  /^(1|t|true)$/i.test(text) ? true : /^(0|f|false)$/i.test(text) ? false : undefined

const unitMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** Unix seconds, a date, or how long ago: `10m`, `1h30m`. */
function readMoment(text: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  if (/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)]
    return now - parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0)
  }
  const date = Date.parse(text)
  if (Number.isNaN(date)) throw invalidParameter(`invalid until '${text}': expected a timestamp or a duration`)
  return date
}

function refuseUnknown(filters: Filters, known: readonly string[]): void {
  const unknown = Object.keys(filters).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalidParameter(`invalid filter '${unknown}'`)
}

function refuseValues(filters: Filters, name: string, isGood: (value: string) => boolean): void {
  const bad = (filters[name] ?? []).find((value) => !isGood(value))
  if (bad !== undefined) throw invalidParameter(`invalid filter '${name}=${bad}'`)
}

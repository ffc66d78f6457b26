// Which nodes a list is about.
import { invalidParameter } from '../../errors.ts'
import type { Filters } from '../query/schema.ts'
import type { Node } from './schema.ts'

const known = ['id', 'label', 'membership', 'name', 'node.label', 'node.label!', 'role']

/** `key`, or `key=value`. */
export function hasLabel(labels: Readonly<Record<string, string>>, asked: string): boolean {
  const at = asked.indexOf('=')
  if (at < 0) return Object.hasOwn(labels, asked)
  return Object.hasOwn(labels, asked.slice(0, at)) && labels[asked.slice(0, at)] === asked.slice(at + 1)
}

export function refuseUnknown(filters: Filters, names: readonly string[]): void {
  const unknown = Object.keys(filters).find((name) => !names.includes(name))
  if (unknown !== undefined) throw invalidParameter(`invalid filter '${unknown}'`)
}

const among = (asked: readonly string[] | undefined, holds: (value: string) => boolean): boolean =>
  asked === undefined || asked.length === 0 || asked.some(holds)

function oneOf(name: string, values: readonly string[] | undefined, allowed: readonly string[]): void {
  const wrong = values?.find((value) => !allowed.includes(value))
  if (wrong !== undefined) throw invalidParameter(`Invalid ${name} filter: '${wrong}'`)
}

export function nodeFilter(filters: Filters): (node: Node) => boolean {
  refuseUnknown(filters, known)
  oneOf('role', filters.role, ['manager', 'worker'])
  oneOf('membership', filters.membership, ['accepted', 'pending'])
  // ENG-611 to ENG-614: with a value or without, and the other way round.
  const without = filters['node.label!'] ?? []
  return ({ ID, Spec, Description }) =>
    among(filters.id, (id) => ID.startsWith(id)) &&
    among(filters.name, (name) => (Spec.Name || Description.Hostname).startsWith(name)) &&
    among(filters.role, (role) => Spec.Role === role) &&
    among(filters.membership, (membership) => membership === 'accepted') &&
    (filters.label ?? []).every((label) => hasLabel(Description.Engine.Labels, label)) &&
    (filters['node.label'] ?? []).every((label) => hasLabel(Spec.Labels, label)) &&
    !without.some((label) => hasLabel(Spec.Labels, label))
}

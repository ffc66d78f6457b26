// Where tasks may run, as services say it: `node.labels.disk==ssd`, `node.role!=manager`.
import { invalidParameter } from '../../errors.ts'
import type { Node } from '../../resources/nodes/schema.ts'

interface Constraint {
  read(node: Node): string
  isSame: boolean
  value: string
}

const attributes: Record<string, (node: Node) => string> = {
  'node.id': ({ ID }) => ID,
  'node.hostname': ({ Description }) => Description.Hostname,
  'node.ip': ({ Status }) => Status.Addr,
  'node.role': ({ Spec }) => Spec.Role,
  'node.platform.os': ({ Description }) => Description.Platform.OS,
  'node.platform.arch': ({ Description }) => goArchitecture(Description.Platform.Architecture),
}

const labelPrefixes: [string, (node: Node) => Readonly<Record<string, string>>][] = [
  ['node.labels.', ({ Spec }) => Spec.Labels],
  ['engine.labels.', ({ Description }) => Description.Engine.Labels],
]

/** Both names of an architecture are known: `x86_64` is `amd64`. */
export const goArchitecture = (name: string): string =>
  ({ x86_64: 'amd64', aarch64: 'arm64', armv7l: 'arm', i386: '386', i686: '386' })[name] ?? name

function readConstraint(text: string): Constraint {
  const [, name = '', sign = '', given = ''] = /^\s*([\w.\-/]+)\s*(==|!=)\s*(.*?)\s*$/.exec(text) ?? []
  const lower = name.toLowerCase()
  const value = lower === 'node.platform.arch' ? goArchitecture(given) : given
  const prefix = labelPrefixes.find(([start]) => lower.startsWith(start))
  const read = attributes[lower] ?? (prefix && ((node: Node) => prefix[1](node)[name.slice(prefix[0].length)] ?? ''))
  if (sign === '' || value === '') {
    throw invalidParameter(`invalid constraint "${text}": expected an attribute, == or !=, and a value`)
  }
  if (read === undefined) throw invalidParameter(`invalid constraint "${text}": ${name} is no attribute of a node`)
  return { read, isSame: sign === '==', value }
}

/** Throws where one makes no sense. */
export function readConstraints(texts: readonly string[]): (node: Node) => boolean {
  const constraints = texts.map(readConstraint)
  return (node) =>
    constraints.every(({ read, isSame, value }) => (read(node).toLowerCase() === value.toLowerCase()) === isSame)
}

/** What a spread preference tells nodes apart by. To any that is no label all nodes are alike. */
export function readSpread(descriptor: string): (node: Node) => string {
  const prefix = labelPrefixes.find(([start]) => descriptor.startsWith(start))
  if (prefix === undefined) return () => ''
  return (node) => prefix[1](node)[descriptor.slice(prefix[0].length)] ?? ''
}

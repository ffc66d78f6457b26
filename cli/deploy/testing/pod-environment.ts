// What the kubelet starts a container with: its own variables, and those that tell of services in its namespace.
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Service } from 'kubernetes-types/core/v1.d.ts'

const address = '10.96.0.10'

export function podEnvironment(set: StatefulSet, services: readonly Service[], secret: Record<string, string>) {
  const { containers = [], enableServiceLinks = true } = set.spec?.template.spec ?? {}
  const own = containers[0]?.env?.flatMap(({ name, value, valueFrom }) => {
    const text = value ?? secret[valueFrom?.secretKeyRef?.key ?? '']
    return text === undefined ? [] : [[name, text]]
  })
  const links = enableServiceLinks ? services.flatMap(linksOf) : []
  return Object.fromEntries([...links, ...(own ?? [])]) as Record<string, string>
}

/** A headless one has no address to tell. */
function linksOf({ metadata, spec }: Service): [string, string][] {
  if (spec?.clusterIP === 'None') return []
  const prefix = metadata?.name?.toUpperCase().replaceAll('-', '_')
  const [first] = spec?.ports ?? []
  return [
    [`${prefix}_SERVICE_HOST`, address],
    [`${prefix}_SERVICE_PORT`, `${first?.port}`],
    [`${prefix}_PORT`, `tcp://${address}:${first?.port}`],
    ...(spec?.ports ?? []).map(({ port }): [string, string] => [`${prefix}_PORT_${port}_TCP_ADDR`, address]),
  ]
}

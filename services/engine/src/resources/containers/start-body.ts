// Callers before 1.24 may give settings of the host when they start a container: they become the container's own.
import { invalidParameters } from '../../errors.ts'
import type { Container } from './container.ts'
import { foreignProblems, resolveEndpoints } from './create.ts'
import { createProblems } from './create-checks.ts'
import { seconds, within } from './deadline.ts'
import { askedEndpoints } from './endpoints.ts'
import { withDefaults } from './host-config.ts'
import type { ContainerConfig, HostConfig } from './schema.ts'
import type { World } from './world.ts'

const resolveDeadline = seconds(60)

export async function applyStartBody(world: World, container: Container, body: HostConfig): Promise<void> {
  const { record } = container
  const given = Object.entries(body).filter(([, value]) => value !== undefined)
  if (given.length === 0) return
  const hostConfig = withDefaults({ ...record.hostConfig, ...Object.fromEntries(given) }, world.ports.defaults)
  const endpoints =
    body.NetworkMode === undefined
      ? (record.askedEndpoints ?? record.endpoints)
      : askedEndpoints(record.config, hostConfig, {
          ...record.config,
          HostConfig: undefined,
          NetworkingConfig: undefined,
          Runtime: undefined,
        })
  const { problems } = await foreignProblems(world, record.config, hostConfig, endpoints)
  const all = [...createProblems({} as ContainerConfig, hostConfig, world.hooks.isLogPlugin), ...problems]
  if (all.length > 0) throw invalidParameters(all)
  const mounts = await mountsOf(world, container, hostConfig)
  const resolved = await resolveEndpoints(world, endpoints)
  await container.change((newest) => ({
    ...newest,
    hostConfig,
    mounts,
    endpoints: resolved,
    askedEndpoints: resolved,
  }))
}

/** What is mounted already stays, unless something else is put in its place. */
async function mountsOf(world: World, { record }: Container, hostConfig: HostConfig) {
  const taken = new Set(record.mounts.map(({ Destination }) => Destination))
  const missing = Object.entries(record.config.Volumes ?? {}).filter(([place]) => !taken.has(place))
  const config = { ...record.config, Volumes: Object.fromEntries(missing) }
  const { mounts } = await within(
    resolveDeadline,
    'making volumes',
    world.ports.mounts.resolve(record.id, config, hostConfig),
  )
  const replaced = new Set(mounts.map(({ Destination }) => Destination))
  return [...record.mounts.filter(({ Destination }) => !replaced.has(Destination)), ...mounts]
}

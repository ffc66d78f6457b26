// After a restart of the engine: finds running containers again, notes what ended meanwhile, and lets restart policies
// decide. Nothing that runs is touched.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExitRecord, RestoredContainer } from '../../runtime/runtime.ts'
import type { Container } from './container.ts'
import { seconds, within } from './deadline.ts'
import { handleEnd, scheduleRestart } from './ended.ts'
import { networked } from './endpoints.ts'
import { remove, removeInBackground } from './remove.ts'
import { follow, launch, unknownExit } from './start.ts'
import { loadContainers } from './store.ts'
import { isNever, millisecondsOf, timestampOf } from './timestamps.ts'
import type { World } from './world.ts'

const runtimeDeadline = seconds(120)
const sweepDeadline = seconds(60)

export async function restore(world: World): Promise<void> {
  const { ports, registry } = world
  for (const record of await loadContainers(ports.db.queries)) world.adopt(record)
  const ids = registry.all.map(({ id }) => id)
  const found = await within(runtimeDeadline, 'finding containers', ports.runtime.restore(ids))
  await restoreNetworks(world, found)
  await Promise.all(
    registry.all.map((container) =>
      restoreOne(world, container, found.get(container.id) ?? { state: 'gone' }).catch((error: unknown) =>
        world.warn(container, error, 'A container could not be restored'),
      ),
    ),
  )
  await sweep(world)
  startAgain(world)
}

const wasRunning = ({ state }: Container): boolean => state.status === 'running' || state.status === 'paused'

async function restoreNetworks(world: World, found: Map<string, RestoredContainer>): Promise<void> {
  const running = world.registry.all.flatMap((container) => {
    const now = found.get(container.id)
    if (!wasRunning(container) || (now?.state !== 'running' && now?.state !== 'paused')) return []
    const { record } = container
    return [{ ...networked(record, now.pid), endpoints: record.endpoints, ports: record.ports }]
  })
  await within(runtimeDeadline, 'restoring networks', world.ports.networking.restore(running))
}

async function restoreOne(world: World, container: Container, now: RestoredContainer): Promise<void> {
  const { status } = container.state
  const isOver = status === 'removing' || status === 'dead' || container.record.isBuildStep === true
  if (isOver) return removeAgain(world, container)
  if (status === 'restarting') return destroyRest(world, container, now)
  if (!wasRunning(container)) return destroyRest(world, container, now)
  if (now.state === 'running' || now.state === 'paused') return findAgain(world, container, now.state, now.pid)
  // How it ended stays written down until the record says it: this engine may be killed, too.
  if (now.state !== 'exited') await destroyRest(world, container, now)
  const lost: ExitRecord = { exitCode: unknownExit, oomKilled: false, finishedAt: timestampOf(world.now()) }
  const run = {
    pid: container.state.pid,
    startedAtMs: millisecondsOf(container.state.startedAt),
    ended: Promise.resolve(lost),
    isStopAsked: container.state.stoppedByCaller,
  }
  await handleEnd(world, container, { run, exit: now.state === 'exited' ? now.exit : lost, launch })
}

async function findAgain(world: World, container: Container, state: 'running' | 'paused', pid: number) {
  await container.changeState((before) =>
    before.status === state && before.pid === pid ? undefined : { status: state, pid },
  )
  follow(world, container, { pid, startedAtMs: millisecondsOf(container.state.startedAt) })
  if (container.state.stoppedByCaller && container.run !== undefined) container.run.isStopAsked = true
}

/** A start that was never acknowledged, or the remains of a run. */
async function destroyRest(world: World, { id }: Container, now: RestoredContainer): Promise<void> {
  if (now.state === 'gone') return
  await within(sweepDeadline, 'cleaning up', world.ports.runtime.destroy(id))
}

async function removeAgain(world: World, container: Container): Promise<void> {
  await remove(world, container, { force: true, volumes: container.state.removesVolumes === true })
}

/** Folders without a record are of containers that were never acknowledged. */
async function sweep(world: World): Promise<void> {
  const folder = join(world.ports.folder, 'containers')
  const names = await readdir(folder).catch(() => [])
  for (const id of names.filter((name) => /^[0-9a-f]{64}$/.test(name) && !world.registry.has(name))) {
    try {
      await within(sweepDeadline, 'cleaning up', world.ports.mounts.removeAbandoned(id))
      await within(sweepDeadline, 'cleaning up', world.ports.images.removeRootfs(id))
      await rm(join(folder, id), { recursive: true, force: true })
    } catch (error) {
      world.warn({ id }, error, 'The folder of a container that is none could not be removed')
    }
  }
}

function startAgain(world: World): void {
  for (const container of world.registry.all) {
    const { state, record } = container
    const policy = record.hostConfig.RestartPolicy?.Name
    if (state.status === 'restarting' && container.restartTimer === undefined) {
      scheduleRestart(world, container, 0, launch)
    } else if (state.status === 'exited' && record.hostConfig.AutoRemove === true) {
      removeInBackground(world, container)
    } else if (state.status === 'exited' && !isNever(state.startedAt) && isWanted(policy, state.stoppedByCaller)) {
      container
        .exclusively(async () => {
          if (container.run === undefined) await launch(world, container)
        })
        .catch((error: unknown) => world.warn(container, error, 'A container could not be started again'))
    }
  }
}

/** `always` means: also after a restart of the engine. */
const isWanted = (policy: string | undefined, stoppedByCaller: boolean): boolean =>
  policy === 'always' || (policy === 'unless-stopped' && !stoppedByCaller)

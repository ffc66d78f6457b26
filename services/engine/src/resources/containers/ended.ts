// A container's process has ended: what it held is given back, the record says so, and its restart policy decides.
import type { ExitRecord } from '../../runtime/runtime.ts'
import type { Container, Run } from './container.ts'
import { seconds, within } from './deadline.ts'
import { restingEndpoints } from './endpoints.ts'
import type { ContainerRecord } from './record.ts'
import { removeInBackground } from './remove.ts'
import { nextDelayMs, shouldRestart } from './restart-policy.ts'
import type { World } from './world.ts'

const detachDeadline = seconds(30)

/** Starts a container again; given by whoever starts containers. */
export type Launch = (world: World, container: Container) => Promise<void>

export interface End {
  run: Run
  exit: ExitRecord
  launch: Launch
}

export async function handleEnd(world: World, container: Container, { run, exit, launch }: End): Promise<void> {
  container.stopHealthChecks?.()
  await within(detachDeadline, 'detaching networks', world.ports.networking.detach(container.id)).catch(
    (error: unknown) => world.warn(container, error, 'The networks of an ended container could not be given back'),
  )
  const isRestarting = () => !run.isStopAsked && !container.isRemoving && shouldRestart(container.record, exit.exitCode)
  await container.change((record) => ended(record, exit, isRestarting()))
  if (container.run === run) container.run = undefined
  announce(world, container.record, run, exit)
  world.ports.mounts.announce('unmount', container.id, container.record.mounts)
  world.ports.mounts.release(container.id, container.record.mounts)
  container.waiters.notify('exit', { exitCode: exit.exitCode })
  if (container.state.status === 'restarting') {
    return scheduleRestart(world, container, world.now() - run.startedAtMs, launch)
  }
  container.restartDelayMs = 0
  const isToGo = container.record.hostConfig.AutoRemove === true && !container.isRestarting
  if (isToGo) removeInBackground(world, container)
}

const ended = (record: ContainerRecord, exit: ExitRecord, isRestarting: boolean): ContainerRecord => ({
  ...record,
  endpoints: restingEndpoints(record),
  ports: {},
  state: {
    ...record.state,
    status: isRestarting ? 'restarting' : 'exited',
    pid: 0,
    exitCode: exit.exitCode,
    oomKilled: exit.oomKilled,
    finishedAt: exit.finishedAt,
  },
})

function announce(world: World, record: ContainerRecord, run: Run, exit: ExitRecord): void {
  if (exit.oomKilled) world.emit(record, 'oom')
  const ranMs = Math.max(0, Date.parse(exit.finishedAt) - run.startedAtMs)
  world.emit(record, 'die', { exitCode: String(exit.exitCode), execDuration: String(Math.floor(ranMs / 1000)) })
}

export function scheduleRestart(world: World, container: Container, ranMs: number, launch: Launch): void {
  container.restartDelayMs = nextDelayMs(container.restartDelayMs, ranMs)
  const timer = setTimeout(() => {
    container
      .exclusively(() => restartNow(world, container, timer, launch))
      .catch((error: unknown) => world.warn(container, error, 'A container could not be restarted'))
  }, container.restartDelayMs)
  timer.unref()
  container.restartTimer = timer
}

async function restartNow(world: World, container: Container, timer: NodeJS.Timeout, launch: Launch): Promise<void> {
  // Stopped, started or removed in the meantime, or the engine goes down.
  if (container.restartTimer !== timer || container.state.status !== 'restarting' || world.isClosed) return
  await container.change((record) => ({ ...record, restartCount: record.restartCount + 1 }))
  await launch(world, container)
}

// Takes a container away with everything of it. What fails half-way is marked dead and can be removed again.
import { rm } from 'node:fs/promises'
import { conflict, invalidParameter } from '../../errors.ts'
import type { Container } from './container.ts'
import { seconds, within } from './deadline.ts'
import { forceEnd, giveUpRestart } from './stop.ts'
import type { World } from './world.ts'

const stepDeadline = seconds(120)

export interface RemoveOptions {
  force: boolean
  /** Anonymous volumes too. */
  volumes: boolean
}

export async function remove(world: World, container: Container, options: RemoveOptions): Promise<void> {
  if (container.isRemoving) {
    throw invalidParameter(`removal of container ${container.record.name} is already in progress`) // ENG-298
  }
  if (!options.force) refuseRunning(container)
  container.isRemoving = true
  try {
    // Whatever another operation waits for comes to its end now.
    if (options.force) await endNow(world, container)
    await container.exclusively(async () => {
      if (options.force) await endNow(world, container)
      else refuseRunning(container)
      await takeAway(world, container, options)
    })
  } catch (error) {
    container.isRemoving = false
    const message = error instanceof Error ? error.message : String(error)
    container.waiters.notify('removal', { exitCode: container.state.exitCode, error: message }) // ENG-316
    throw error
  }
}

function refuseRunning({ record, state }: Container): void {
  const refuse = (why: string) => conflict(`cannot remove container "/${record.name}": ${why}`)
  if (state.status === 'paused') throw refuse('container is paused and must be unpaused first')
  if (state.status === 'running' || state.status === 'restarting') {
    throw refuse('container is running: stop the container before removing or force remove')
  }
}

async function endNow(world: World, container: Container): Promise<void> {
  if (container.state.status === 'restarting') await giveUpRestart(container)
  await forceEnd(world, container)
}

async function takeAway(world: World, container: Container, { volumes }: RemoveOptions): Promise<void> {
  const { runtime, networking, images, mounts } = world.ports
  const { id, record } = container
  container.cancelRestart()
  await container.changeState(() => ({ status: 'removing', removesVolumes: volumes }))
  try {
    await within(stepDeadline, 'removing the process', runtime.destroy(id))
    await within(stepDeadline, 'detaching networks', networking.detach(id))
    await within(stepDeadline, 'delivering the log', world.hooks.beforeRemoval?.(id) ?? Promise.resolve())
    await within(stepDeadline, 'removing the file system', images.removeRootfs(id))
    await within(stepDeadline, 'removing files', rm(world.folderOf(id), { recursive: true, force: true }))
    // Without volumes of its own to remove, it only lets go of those it used.
    await within(stepDeadline, 'removing volumes', mounts.removeAnonymous(id, volumes ? record.mounts : []))
    await world.forget(container)
  } catch (error) {
    await container.changeState(() => ({ status: 'dead' }))
    throw error
  }
  world.emit(record, 'destroy')
  container.waiters.notify('removal', { exitCode: container.state.exitCode })
}

/** AutoRemove: nobody waits for it but those who said so. */
export function removeInBackground(world: World, container: Container): void {
  if (container.isRemoving) return
  remove(world, container, { force: true, volumes: true }).catch((error: unknown) =>
    world.warn(container, error, 'A container could not be removed after its end'),
  )
}

// Freezes a container's processes, and lets them go on.
import { conflict } from '../../errors.ts'
import type { Container } from './container.ts'
import { endsWithin, seconds, within } from './deadline.ts'
import { notRunning } from './stop.ts'
import type { World } from './world.ts'

const freezeDeadline = seconds(15)

/** Both must run alone on their container. */
export async function pause(world: World, container: Container): Promise<void> {
  const { status } = container.state
  if (status === 'paused') throw conflict(`container ${container.id} is already paused`)
  if (status === 'restarting') {
    throw conflict(`container ${container.id} is restarting, wait until the container is running`)
  }
  if (status !== 'running') throw notRunning(container)
  await within(freezeDeadline, 'pausing', world.ports.runtime.pause(container.id))
  await replaceStatus(container, 'running', 'paused')
  world.emit(container.record, 'pause')
}

export async function unpause(world: World, container: Container): Promise<void> {
  if (container.state.status !== 'paused') throw conflict(`container ${container.id} is not paused`)
  const { run } = container
  try {
    await within(freezeDeadline, 'resuming', world.ports.runtime.resume(container.id))
    await replaceStatus(container, 'paused', 'running')
  } catch (error) {
    // What ends in the moment it goes on has gone on.
    if (await hasEnded(run)) return
    throw error
  }
  world.emit(container.record, 'unpause')
}

const endDeadline = seconds(2)

/** Or ends soon. */
const hasEnded = async (run: Container['run']): Promise<boolean> =>
  run !== undefined && (await endsWithin(endDeadline, run.ended))

/** Must run alone on its container. False: it does not run, or has just ended. */
export async function holdStill(world: World, container: Container): Promise<boolean> {
  const { run, state } = container
  if (state.status !== 'running') return false
  try {
    await pause(world, container)
    return true
  } catch (error) {
    if (await hasEnded(run)) return false
    throw error
  }
}

/** It may have ended in between. */
async function replaceStatus(container: Container, from: 'running' | 'paused', to: 'running' | 'paused') {
  const { state } = await container.changeState(({ status }) => (status === from ? { status: to } : undefined))
  if (state.status !== to) throw notRunning(container)
}

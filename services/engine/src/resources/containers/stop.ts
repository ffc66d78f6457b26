// Asks a container to end, and ends it when it does not.
import { conflict, systemError } from '../../errors.ts'
import type { Container } from './container.ts'
import { endsWithin, seconds, within } from './deadline.ts'
import { parseSignal, sigkill, stopSignalOf } from './signals.ts'
import type { World } from './world.ts'

const signalDeadline = seconds(15)
/** After SIGKILL only the kernel can keep a process. */
const killDeadline = seconds(30)
const defaultStopSeconds = 10
/** Longer than that is for ever. */
const maxStopSeconds = 2_000_000

export interface StopOptions {
  signal?: string | undefined
  /** Seconds until it is killed; negative: never. */
  timeout?: number | undefined
}

export const notRunning = ({ id }: Container) => conflict(`container ${id} is not running`)

/** False: it was at rest already. Must run alone on its container. */
export async function stop(world: World, container: Container, options: StopOptions): Promise<boolean> {
  const signal = options.signal ? parseSignal(options.signal) : stopSignalOf(container.record.config)
  if (container.state.status === 'restarting') {
    await giveUpRestart(container)
    world.emit(container.record, 'stop')
    return true
  }
  const { run } = container
  if (run === undefined) return false
  await noteAndDeliver(world, container, signal)
  const patience = stopMilliseconds(options.timeout ?? container.record.config.StopTimeout)
  if (!(await endsWithin(patience, run.ended))) await forceEnd(world, container)
  world.emit(container.record, 'stop')
  return true
}

function stopMilliseconds(timeout = defaultStopSeconds): number | undefined {
  return timeout < 0 || timeout > maxStopSeconds ? undefined : seconds(timeout)
}

/** No restart policy is to bring it back. */
async function noteStop(container: Container): Promise<void> {
  if (container.run !== undefined) container.run.isStopAsked = true
  await container.changeState(({ stoppedByCaller }) => (stoppedByCaller ? undefined : { stoppedByCaller: true }))
}

/** The signal need not wait for the disk: until both are done, nobody is told of a stop. */
async function noteAndDeliver(world: World, container: Container, signal: number): Promise<void> {
  const noted = noteStop(container)
  noted.catch(() => undefined)
  await deliver(world, container, signal)
  await noted
}

export async function giveUpRestart(container: Container): Promise<void> {
  container.cancelRestart()
  await container.changeState(({ status }) =>
    status === 'restarting' ? { status: 'exited', stoppedByCaller: true } : { stoppedByCaller: true },
  )
}

/** SIGKILL, and its end waited for. */
export async function forceEnd(world: World, container: Container): Promise<void> {
  const { run } = container
  if (run === undefined) return
  run.isStopAsked = true
  await deliver(world, container, sigkill)
  if (await endsWithin(killDeadline, run.ended)) return
  throw systemError(`container ${container.id} could not be killed: its process did not end`)
}

/** A process that has just gone needs no signal any more. */
async function deliver(world: World, container: Container, signal: number): Promise<void> {
  const { runtime } = world.ports
  const { run, state } = container
  try {
    await within(signalDeadline, 'sending a signal', runtime.signal(container.id, signal))
    // A frozen process gets it when it thaws.
    if (state.status === 'paused' && run?.isStopAsked) {
      await within(signalDeadline, 'resuming', runtime.resume(container.id))
    }
  } catch (error) {
    if (run === undefined || !(await endsWithin(seconds(2), run.ended))) throw error
    return
  }
  world.emit(container.record, 'kill', { signal: String(signal) })
}

/** Runs beside other operations: a container that takes long to stop can be killed. */
export async function kill(world: World, container: Container, signalText: string): Promise<void> {
  const signal = signalText === '' ? sigkill : parseSignal(signalText)
  // Whoever has heard the program speak may mean it, though its start has yet to be noted.
  await container.beginning
  if (container.state.status === 'restarting') return giveUpRestart(container)
  const { run } = container
  if (run === undefined)
    throw conflict(`cannot kill container: ${container.record.name}: ${notRunning(container).message}`)
  const isStop = signal === sigkill || signal === stopSignalOf(container.record.config)
  if (isStop) await noteStop(container)
  if (signal === sigkill) return forceEnd(world, container)
  await deliver(world, container, signal)
  if (isStop && container.state.status === 'paused') await noteThaw(container)
}

const noteThaw = (container: Container) =>
  container.changeState(({ status }) => (status === 'paused' ? { status: 'running' } : undefined))

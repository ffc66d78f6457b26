// Starts shims. A shim is in a session of its own and outlives the engine.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { unavailable } from '../errors.ts'
import { withDeadline } from './deadline.ts'
import { ShimConnection, ShimGone } from './shim-connection.ts'

/** How long the runtime may take for one call; the shim gets it as its own limit. */
export const runtimeMilliseconds = 30_000
export const graceMilliseconds = 10_000

export interface StartedShim {
  connection: ShimConnection
  /** Of the process in the container, on the host. */
  pid: number
}

function socketAt(child: ChildProcess, index: number): Socket {
  const socket = child.stdio[index]
  if (!socket) throw unavailable('the shim cannot be started')
  return socket as unknown as Socket
}

/** Rejects with the shim's words when the process cannot be made; then nothing is left of it. */
export async function startShim(program: string, folder: string): Promise<StartedShim> {
  const child = spawn(program, ['run', join(folder, 'shim.conf')], {
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  child.unref()
  const failed = new Promise<never>((_, reject) =>
    child.once('error', (error) => reject(unavailable(`cannot start the shim: ${error.message}`))),
  )
  failed.catch(() => {})
  if (child.pid === undefined) await withDeadline(failed, graceMilliseconds, 'the shim')
  const connection = new ShimConnection(socketAt(child, 3))
  try {
    const answer = await Promise.race([connection.firstAnswer(runtimeMilliseconds * 2 + graceMilliseconds), failed])
    return { connection, pid: Number(answer) }
  } catch (error) {
    connection.release()
    // A shim that does not answer in time is of no use to anybody.
    child.kill('SIGKILL')
    if (error instanceof ShimGone) throw unavailable('the shim ended before the process was made')
    throw error
  }
}

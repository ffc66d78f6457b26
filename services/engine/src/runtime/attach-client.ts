// A client's connection to the streams of a container, made so that nothing is missed from its first moment on.
import type { Socket } from 'node:net'
import { conflict } from '../errors.ts'
import { withDeadline } from './deadline.ts'
import type { AttachedStreams, AttachOptions } from './runtime.ts'
import { connectIn } from './shim-connection.ts'

const greetingMilliseconds = 10_000

/** Whoever uses the streams hears of their errors by `close`; without a listener they must not end the engine. */
export function asStreams(socket: Socket): AttachedStreams {
  socket.on('error', () => socket.destroy())
  return { connection: socket }
}

/** The shim's `+`: from now on everything that is written arrives. */
function greeted(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(conflict('the process has ended'))
    const take = (): void => {
      if (socket.read(1) === null) return
      socket.off('readable', take)
      socket.off('close', gone)
      resolve()
    }
    socket.on('readable', take)
    socket.once('close', gone)
  })
}

export async function attachTo(folder: string, wanted: AttachOptions = {}): Promise<AttachedStreams> {
  const socket = await connectIn(folder, 'attach.sock').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') throw conflict('the process has ended')
    throw error
  })
  const streams = asStreams(socket)
  const bits = (wanted.stdin === false ? 0 : 1) | (wanted.stdout === false ? 0 : 2) | (wanted.stderr === false ? 0 : 4)
  socket.write(Buffer.of(bits))
  try {
    await withDeadline(greeted(socket), greetingMilliseconds, 'the container')
  } catch (error) {
    socket.destroy()
    throw error
  }
  return streams
}

// A client's connection to the streams of a container, made so that nothing is missed from its first moment on.
import type { Socket } from 'node:net'
import { conflict } from '../errors.ts'
import { withDeadline } from './deadline.ts'
import type { AttachedStreams, AttachOptions, LogPosition } from './runtime.ts'
import { connectIn } from './shim-connection.ts'

const greetingMilliseconds = 10_000

/** Whoever uses the streams hears of their errors by `close`; without a listener they must not end the engine. */
export function asStreams(socket: Socket): AttachedStreams {
  socket.on('error', () => socket.destroy())
  return { connection: socket }
}

/** The shim's answer: from now on everything that is written arrives. */
function greeted(socket: Socket, isWhole: (answer: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const gone = (): void => reject(conflict('the process has ended'))
    const take = (): void => {
      for (let byte = socket.read(1); byte !== null; byte = socket.read(1)) {
        answer += byte
        if (!isWhole(answer)) continue
        socket.off('readable', take)
        socket.off('close', gone)
        resolve(answer)
        return
      }
    }
    socket.on('readable', take)
    socket.once('close', gone)
  })
}

const isPlus = (answer: string): boolean => answer === '+'
const isLine = (answer: string): boolean => answer.endsWith('\n')

/** `+INODE OFFSET`; no inode: the shim does not know. */
function readPosition(answer: string): LogPosition | undefined {
  const [, inode = '0', position = '0'] = /^\+(\d+) (\d+)\n$/.exec(answer) ?? []
  return inode === '0' ? undefined : { inode: BigInt(inode), position: Number(position) }
}

const bitsOf = ({ stdin = true, stdout = true, stderr = true, afterLog = false }: AttachOptions): number =>
  (stdin ? 1 : 0) | (stdout ? 2 : 0) | (stderr ? 4 : 0) | (afterLog ? 8 : 0)

export async function attachTo(folder: string, wanted: AttachOptions = {}): Promise<AttachedStreams> {
  const socket = await connectIn(folder, 'attach.sock').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') throw conflict('the process has ended')
    throw error
  })
  const streams = asStreams(socket)
  socket.write(Buffer.of(bitsOf(wanted)))
  try {
    const isWhole = wanted.afterLog === true ? isLine : isPlus
    const answer = await withDeadline(greeted(socket, isWhole), greetingMilliseconds, 'the container')
    const logEnd = readPosition(answer)
    return logEnd === undefined ? streams : { ...streams, logEnd }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

// Starts the shim of an exec: the container's own shim forks it, and hands it two connections of the engine.
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { conflict, unavailable } from '../errors.ts'
import { connectIn, ShimConnection, ShimGone } from './shim-connection.ts'
import { graceMilliseconds, runtimeMilliseconds } from './shim-process.ts'

const tokenBytes = 8
/** The beginning of each connection: what it is for, and whose it is. */
const forCommands = 'x'
const forStreams = 'c'

export interface StartedExec {
  connection: ShimConnection
  /** Of the process in the container, on the host. */
  pid: number
  /** Its streams. */
  client: Socket
}

function connectBoth(containerFolder: string): Promise<[Socket, Socket]> {
  const connect = () =>
    connectIn(containerFolder, 'exec.sock').catch((error: { code?: string }) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') throw conflict('the process has ended')
      throw error
    })
  return Promise.all([connect(), connect()])
}

/** Rejects with the shim's words when the process cannot be made. */
export async function startExecShim(containerFolder: string, settings: Buffer): Promise<StartedExec> {
  const [commands, client] = await connectBoth(containerFolder)
  const token = randomBytes(tokenBytes).toString('hex')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(settings.length)
  client.write(forStreams + token)
  commands.write(Buffer.concat([Buffer.from(forCommands + token), length, settings]))
  const connection = new ShimConnection(commands)
  try {
    return { connection, client, pid: Number(await connection.firstAnswer(runtimeMilliseconds + graceMilliseconds)) }
  } catch (error) {
    connection.release()
    client.destroy()
    if (error instanceof ShimGone) throw unavailable('the shim ended before the process was made')
    throw error
  }
}

// The asking side: commands of the same machine, to the Atoll that runs on a data folder.
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { CommandProblem } from '../command-problem.ts'
import { socketPathIn } from './socket-path.ts'

/** Undefined: nothing runs there. Throws what the other side refuses with. */
export async function ask<Result>(folder: string, command: string, args?: unknown): Promise<Result | undefined> {
  const socket = await reach(folder)
  if (socket === undefined) return undefined
  socket.write(`${JSON.stringify({ command, args })}\n`)
  const answer = await text(socket)
  // It ended before it could answer: that is what `stop` waits for.
  if (answer === '') return undefined
  const { result, error } = JSON.parse(answer) as { result?: Result; error?: string }
  if (error !== undefined) throw new CommandProblem(error)
  return result
}

async function reach(folder: string): Promise<Socket | undefined> {
  let place: ReturnType<typeof socketPathIn> | undefined
  try {
    place = socketPathIn(folder)
    return await connected(place.path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return undefined
    if (code !== 'EACCES') throw error
    throw new CommandProblem(`${folder} belongs to another user: ask as that one, or with sudo.`)
  } finally {
    place?.release()
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket))
    socket.once('error', reject)
  })
}

// The running side: answers one question a connection, a line of JSON each way.
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { ask } from './ask.ts'
import { socketPathIn } from './socket-path.ts'

export type Commands = Record<string, (args: unknown) => Promise<unknown>>

const longestSilenceMs = 10_000
const longestQuestionCharacters = 1 << 20

/** Returns the way to stop. Where another process answers in this folder already, it stays with that one. */
export async function serveControl(folder: string, commands: Commands): Promise<() => void> {
  const isTaken = await ask(folder, 'status').then(
    (answer) => answer !== undefined,
    () => false,
  )
  if (isTaken) return () => undefined
  const { path, release } = socketPathIn(folder)
  rmSync(path, { force: true }) // of a process that was killed
  const server = createServer((socket) => hear(socket, commands))
  await listening(server, path)
  chmodSync(path, 0o600)
  server.unref()
  return () => {
    server.close(release)
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
}

function hear(socket: Socket, commands: Commands): void {
  socket.on('error', () => undefined) // whoever asked may be gone
  socket.setTimeout(longestSilenceMs, () => socket.destroy())
  onFirstLine(socket, async (line) => {
    socket.setTimeout(0)
    socket.end(`${JSON.stringify(await answerTo(line, commands))}\n`)
  })
}

/** What comes after it is passed over. By hand: Node's reader of lines brings all that a terminal needs. */
function onFirstLine(socket: Socket, take: (line: string) => void): void {
  let said = ''
  const read = (piece: string) => {
    said += piece
    const end = said.indexOf('\n')
    if (end < 0) {
      if (said.length > longestQuestionCharacters) socket.destroy()
      return
    }
    socket.off('data', read).resume()
    take(said.slice(0, end))
  }
  socket.setEncoding('utf8').on('data', read)
}

async function answerTo(line: string, commands: Commands): Promise<object> {
  try {
    const { command, args } = JSON.parse(line) as { command: string; args?: unknown }
    const handler = Object.hasOwn(commands, command) ? commands[command] : undefined
    if (handler === undefined) return { error: `the Atoll that runs here does not know ${command}; start it again` }
    return { result: (await handler(args)) ?? null }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

// A server of somebody else's, started for a test on a free port of this machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'

export interface Program {
  stop(): Promise<void>
}

/** Resolves when the port takes connections. */
export async function startProgram(command: string, args: string[], port: number): Promise<Program> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: pathWithSystem() })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said = (said + text).slice(-4_000)))
  const deadline = Date.now() + 20_000
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${command} did not start: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { stop: () => stop(child) }
}

const pathWithSystem = (): NodeJS.ProcessEnv => ({ ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` })

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const hurry = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await ended
  clearTimeout(hurry)
}

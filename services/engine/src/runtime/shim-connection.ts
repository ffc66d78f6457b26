// The engine's side of a shim's control socket: a command a line, an answer a line, in order.
import { open } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { conflict, unavailable } from '../errors.ts'
import { withDeadline } from './deadline.ts'

const maxLineBytes = 64 * 1024
const connectMilliseconds = 10_000
/** Of a path of a socket, with its NUL. */
const maxPathBytes = 108

interface Pending {
  resolve(answer: string): void
  reject(error: Error): void
}

/** The process ended, or the shim was killed: there is nobody to answer. */
export class ShimGone extends Error {}

export class ShimConnection {
  /** Resolves when the other side is gone. */
  readonly closed: Promise<void>
  private listener: ((event: string) => void) | undefined
  /** Events that came before anybody listened. */
  private readonly early: string[] = []
  private readonly socket: Socket
  private readonly pending: Pending[] = []
  private rest = ''

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('utf8')
    socket.unref()
    socket.on('data', (text: string) => this.take(text))
    socket.on('error', () => socket.destroy())
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    void this.closed.then(() => this.failAll())
  }

  set onEvent(listener: (event: string) => void) {
    this.listener = listener
    for (const event of this.early.splice(0)) listener(event)
  }

  get isOpen(): boolean {
    return !this.socket.destroyed
  }

  /** The next answer that comes without a command: the shim says how its start went. */
  firstAnswer(milliseconds: number): Promise<string> {
    return this.await(milliseconds, 'the runtime')
  }

  /** What comes after `ok`. Rejects with a conflict that says the shim's words after `error`. */
  request(command: string, milliseconds: number): Promise<string> {
    if (!this.isOpen) return Promise.reject(new ShimGone('the process has ended'))
    const answer = this.await(milliseconds, 'the container')
    this.socket.write(`${command}\n`)
    return answer
  }

  release(): void {
    this.socket.destroy()
  }

  private await(milliseconds: number, who: string): Promise<string> {
    const answer = new Promise<string>((resolve, reject) => this.pending.push({ resolve, reject }))
    this.socket.ref()
    return withDeadline(answer, milliseconds, who).finally(() => {
      if (this.pending.length === 0) this.socket.unref()
    })
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop() ?? ''
    if (this.rest.length > maxLineBytes) this.socket.destroy()
    for (const line of lines) this.takeLine(line)
  }

  private takeLine(line: string): void {
    const [kind, words] = [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)]
    if (kind === 'event') this.tell(words)
    else if (kind === 'ok') this.pending.shift()?.resolve(line.slice(3))
    else this.pending.shift()?.reject(conflict(words))
  }

  private tell(event: string): void {
    if (this.listener === undefined) this.early.push(event)
    else this.listener(event)
  }

  private failAll(): void {
    for (const { reject } of this.pending.splice(0)) reject(new ShimGone('the process has ended'))
  }
}

/** Connects to a socket in a folder whose path may be longer than a socket's path can be. */
export async function connectIn(folder: string, name: string): Promise<Socket> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) < maxPathBytes) return connectTo(path)
  const handle = await open(folder, 'r')
  try {
    return await connectTo(`/proc/self/fd/${handle.fd}/${name}`)
  } finally {
    await handle.close()
  }
}

async function connectTo(path: string): Promise<Socket> {
  const socket = connect({ path })
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  try {
    await withDeadline(connected, connectMilliseconds, 'the container')
  } catch (error) {
    socket.destroy()
    throw error
  }
  return socket
}

/** Undefined: no shim is there. */
export async function findShim(folder: string): Promise<ShimConnection | undefined> {
  try {
    return new ShimConnection(await connectIn(folder, 'control.sock'))
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    throw unavailable(`cannot reach the container's shim: ${error instanceof Error ? error.message : error}`)
  }
}

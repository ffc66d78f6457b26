// A process and its shim as the engine follows them: commands, events, and how it ends.
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '../errors.ts'
import { readExit } from './run-folder.ts'
import type { ExitRecord } from './runtime.ts'
import { findShim, type ShimConnection, ShimGone } from './shim-connection.ts'

const commandMilliseconds = 10_000
const reconnectPauseMilliseconds = 100

export interface FollowOptions {
  folder: string
  pid: number
  connection: ShimConnection
  /** The shim was killed: ends and cleans up what it left. */
  lost(): Promise<ExitRecord>
  onEvent?(event: string): void
}

export class FollowedProcess {
  readonly folder: string
  readonly pid: number
  readonly exited: Promise<ExitRecord>
  /** Resolves when the process has ended and its shim begins to clean up; never, when nobody saw that moment. */
  readonly ending: Promise<void>
  hasEnded = false
  private readonly options: FollowOptions
  private connection: ShimConnection
  private isReleased = false
  private readonly resolveEnding: () => void
  /** What the shim told before it went: the same as in the record. */
  private told: ExitRecord | undefined

  constructor(options: FollowOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ending = promise
    this.resolveEnding = resolve
    this.options = options
    this.folder = options.folder
    this.pid = options.pid
    this.connection = this.listen(options.connection)
    this.exited = this.follow()
    this.exited.catch(() => {})
  }

  async command(line: string, milliseconds = commandMilliseconds): Promise<string> {
    try {
      return await this.connection.request(line, milliseconds)
    } catch (error) {
      if (error instanceof ShimGone) throw conflict('the process has ended')
      throw error
    }
  }

  /** The engine goes; the process stays. */
  release(): void {
    this.isReleased = true
    this.connection.release()
  }

  private listen(connection: ShimConnection): ShimConnection {
    connection.onEvent = (event) => this.take(event)
    return connection
  }

  private take(event: string): void {
    if (event === 'ending') this.resolveEnding()
    else if (event.startsWith('exit ')) this.told = JSON.parse(event.slice('exit '.length)) as ExitRecord
    else this.options.onEvent?.(event)
  }

  private async follow(): Promise<ExitRecord> {
    for (;;) {
      await this.connection.closed
      if (this.isReleased) return new Promise(() => {})
      if (this.told !== undefined) {
        this.hasEnded = true
        return this.told
      }
      const again = (await readExit(this.folder)) === undefined ? await this.reconnect() : undefined
      if (again !== undefined) continue
      // What a killed shim left is cleaned up before anybody may start the container again.
      try {
        return (await readExit(this.folder)) ?? (await this.options.lost())
      } finally {
        this.hasEnded = true
      }
    }
  }

  private async reconnect(): Promise<ShimConnection | undefined> {
    const connection = await findShim(this.folder).catch(() => undefined)
    if (connection === undefined) return undefined
    this.connection = this.listen(connection)
    await sleep(reconnectPauseMilliseconds)
    return connection
  }
}

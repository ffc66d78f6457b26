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
  hasEnded = false
  private readonly options: FollowOptions
  private connection: ShimConnection
  private isReleased = false

  constructor(options: FollowOptions) {
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
    connection.onEvent = (event) => this.options.onEvent?.(event)
    return connection
  }

  private async follow(): Promise<ExitRecord> {
    for (;;) {
      await this.connection.closed
      if (this.isReleased) return new Promise(() => {})
      const again = (await readExit(this.folder)) === undefined ? await this.reconnect() : undefined
      if (again !== undefined) continue
      this.hasEnded = true
      return (await readExit(this.folder)) ?? this.options.lost()
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

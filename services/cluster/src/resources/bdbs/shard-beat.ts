// Asks a shard how it is, over one connection that stays.
import { infoOf, type RedisConnection } from '../../redis/redis-connection.ts'
import { RedisError } from '../../redis/reply.ts'
import type { ShardProcess } from '../../redis/shard-process.ts'
import { Beat } from './beat.ts'

export class ShardBeat extends Beat {
  readonly #source: Source
  #lastCopies: { fullCopies: number; told: number } | undefined

  constructor(process: ShardProcess) {
    const source = new Source(process)
    super(source)
    this.#source = source
  }

  /** Somebody has copied everything from it since it was asked last, beyond those who were told to. */
  wasCopied(told: number): boolean {
    const { fullCopies } = this.#source
    if (fullCopies === undefined) return false
    const last = this.#lastCopies
    this.#lastCopies = { fullCopies, told }
    return last !== undefined && fullCopies - last.fullCopies > told - last.told
  }

  /** A replica in the midst of a copy of everything. */
  get isCopying(): boolean {
    return this.#source.isCopying
  }
}

class Source {
  readonly #process: ShardProcess
  #connection: RedisConnection | undefined
  #isClosed = false
  isCopying = false
  /** Of a master: so often a replica has copied everything from it. */
  fullCopies: number | undefined

  constructor(process: ShardProcess) {
    this.#process = process
  }

  cpuTicks(): Promise<number | undefined> {
    return this.#process.cpuTicks()
  }

  async ask(): Promise<void> {
    try {
      this.#connection ??= await this.#process.connect()
      const { role, master_sync_in_progress } = await infoOf(this.#connection, 'replication')
      const { loading } = await infoOf(this.#connection, 'persistence')
      const { sync_full } = await infoOf(this.#connection, 'stats')
      this.fullCopies = role === 'master' ? Number(sync_full) : undefined
      this.isCopying = role === 'slave' && (master_sync_in_progress === '1' || loading === '1')
    } catch (error) {
      this.#connection?.close()
      this.#connection = undefined
      if (!(error instanceof RedisError)) throw error
    } finally {
      if (this.#isClosed) this.#connection?.close()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#connection?.close()
  }
}

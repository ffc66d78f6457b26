// Writers who know what was acknowledged to them. A command whose connection broke may have been done or not.
import { setTimeout } from 'node:timers/promises'
import { createClient } from '@redis/client'

interface Writer {
  key: string
  acknowledged: number
  uncertain: number
  done: Promise<void>
}

const pauseMs = 20
const commandMs = 30_000

export class WriteLoad {
  readonly #writers: Writer[]
  #isOver = false

  constructor(port: number, count: number) {
    this.#writers = Array.from({ length: count }, (_, index) => {
      const writer = { key: `writer-${index}`, acknowledged: 0, uncertain: 0, done: Promise.resolve() }
      writer.done = this.#write(port, writer)
      return writer
    })
  }

  /** So many more than now, in all. */
  async hasWritten(more: number): Promise<void> {
    const wanted = this.#total('acknowledged') + more
    while (this.#total('acknowledged') < wanted) await setTimeout(pauseMs)
  }

  async stop(): Promise<{ acknowledged: number; uncertain: number }> {
    this.#isOver = true
    await Promise.all(this.#writers.map(({ done }) => done))
    return { acknowledged: this.#total('acknowledged'), uncertain: this.#total('uncertain') }
  }

  /** What is lost, and what was done more often than it was asked for. */
  async problems(port: number): Promise<string[]> {
    const client = await connected(port)
    const found: string[] = []
    for (const { key, acknowledged, uncertain } of this.#writers) {
      const counted = Number(await client.sendCommand(['TALLY.GET', 'scores', key]))
      const plain = Number(await client.get(key))
      for (const value of [counted, plain]) {
        if (value < acknowledged) found.push(`${key}: ${acknowledged - value} of ${acknowledged} lost`)
        if (value > acknowledged + uncertain) found.push(`${key}: ${value - acknowledged - uncertain} too many`)
      }
    }
    client.destroy()
    return found
  }

  #total(what: 'acknowledged' | 'uncertain'): number {
    return this.#writers.reduce((sum, writer) => sum + writer[what], 0)
  }

  async #write(port: number, writer: Writer): Promise<void> {
    while (!this.#isOver) {
      const client = await connected(port).catch(() => undefined)
      if (client === undefined) {
        await setTimeout(pauseMs)
        continue
      }
      try {
        while (!this.#isOver) {
          await within(
            commandMs,
            client.multi().addCommand(['TALLY.ADD', 'scores', writer.key, '1']).incr(writer.key).exec(),
          )
          writer.acknowledged++
        }
      } catch {
        writer.uncertain++
      } finally {
        client.destroy()
      }
    }
  }
}

async function connected(port: number) {
  const socket = { reconnectStrategy: false as const, connectTimeout: 2000 }
  const client = createClient({ url: `redis://127.0.0.1:${port}`, socket })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Nobody may be left without an answer. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = globalThis.setTimeout(() => reject(new Error('A command was never answered.')), milliseconds)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

// Clients that write one after the other, and know how long each write took.
import { setTimeout } from 'node:timers/promises'
import { connectTo } from '@atoll/cluster/testing/whole-cluster'

interface Writer {
  key: string
  acknowledged: number
}

/** Also follows its database to another port, as clients without a proxy have to. */
export class Writers {
  readonly #writers: Writer[]
  readonly #done: Promise<void>[]
  #port: number
  #isOver = false
  #errors = 0
  #longestMs = 0

  constructor(port: number, count: number) {
    this.#port = port
    this.#writers = Array.from({ length: count }, (_, index) => ({ key: `writer-${index}`, acknowledged: 0 }))
    this.#done = this.#writers.map((writer) => this.#write(writer))
  }

  followTo(port: number): void {
    this.#port = port
  }

  async hasWritten(more: number): Promise<void> {
    const total = () => this.#writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
    const wanted = total() + more
    while (total() < wanted) await setTimeout(5)
  }

  async stop(): Promise<{ acknowledged: number; errors: number; longestMs: number }> {
    this.#isOver = true
    await Promise.all(this.#done)
    const acknowledged = this.#writers.reduce((sum, writer) => sum + writer.acknowledged, 0)
    return { acknowledged, errors: this.#errors, longestMs: this.#longestMs }
  }

  async lost(): Promise<number> {
    const client = await connectTo(this.#port)
    let missing = 0
    for (const { key, acknowledged } of this.#writers) {
      missing += Math.max(0, acknowledged - Number((await client.get(key)) ?? 0))
    }
    client.destroy()
    return missing
  }

  async #write(writer: Writer): Promise<void> {
    let answeredAt = performance.now()
    while (!this.#isOver) {
      const client = await connectTo(this.#port).catch(() => undefined)
      try {
        while (!this.#isOver && client !== undefined) {
          await client.incr(writer.key)
          const now = performance.now()
          if (writer.acknowledged > 0) this.#longestMs = Math.max(this.#longestMs, now - answeredAt)
          answeredAt = now
          writer.acknowledged++
        }
      } catch {
        this.#errors++
      } finally {
        client?.destroy()
      }
    }
  }
}

/** So many keys with a value of 32 bytes. */
export async function fill(port: number, keys: number): Promise<void> {
  const client = await connectTo(port)
  const atOnce = 10_000
  for (let from = 0; from < keys; from += atOnce) {
    const values = Array.from(
      { length: atOnce },
      (_, index) => [`key-${from + index}`, 'v'.repeat(32)] as [string, string],
    )
    await client.mSet(values)
  }
  client.destroy()
}

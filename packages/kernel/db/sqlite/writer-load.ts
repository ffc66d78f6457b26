// How much the writer thread is given at once, and how much may wait for it: a thread that runs out of memory takes
// every write with it.
import { DatabaseOverloaded } from '../overloaded.ts'
import type { Value } from './protocol.ts'
import { bytesOf } from './value-bytes.ts'

const mebibyte = 1024 * 1024
/** Of one message, unless a single call has more. */
const maxMessageBytes = 8 * mebibyte
/** On their way to the thread, or in its open commit. Further writes wait where they are. */
const maxSentBytes = 32 * mebibyte
/** What may wait in all. Further writes are refused. */
const maxWaitingBytes = 768 * mebibyte
const maxWaitingCalls = 200_000
const maxCallBytes = 64 * mebibyte

interface Weighed {
  bytes: number
}

export class WriterLoad {
  #calls = 0
  #bytes = 0
  #sentBytes = 0

  /** Whether the thread may be given more now. */
  get hasRoom(): boolean {
    return this.#sentBytes < maxSentBytes
  }

  /** Counts one more call, and says how many bytes it has; throws when there is no room for it. */
  admit(...lists: (readonly Value[])[]): number {
    let bytes = 0
    for (const values of lists) bytes += bytesOf(values)
    if (bytes > maxCallBytes) throw new RangeError(`a write of more than ${maxCallBytes / mebibyte} MiB is refused`)
    if (this.#bytes + bytes > maxWaitingBytes || this.#calls >= maxWaitingCalls) {
      throw new DatabaseOverloaded('too many writes wait for the database')
    }
    this.#calls += 1
    this.#bytes += bytes
    return bytes
  }

  /** Takes from `gathered`, which was admitted, what makes up the next message. */
  nextMessage<Call extends Weighed>(gathered: Call[]): Call[] {
    let bytes = 0
    let count = 0
    for (const call of gathered) {
      if (count > 0 && bytes + call.bytes > maxMessageBytes) break
      bytes += call.bytes
      count += 1
    }
    this.#sentBytes += bytes
    return gathered.splice(0, count)
  }

  sent({ bytes }: Weighed): void {
    this.#sentBytes += bytes
  }

  done({ bytes }: Weighed): void {
    this.#calls -= 1
    this.#bytes -= bytes
    this.#sentBytes -= bytes
  }
}

// Progress as docker's clients print it: a line for each layer, in a stream that ends with an error if there was one.
import type { ProgressMessage } from '../image-registry.ts'
import { messageOf } from './failure.ts'

export type Report = (message: ProgressMessage) => void

const barWidth = 50
const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `1.234MB`: four digits, thousands. */
export function humanSize(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${Number(size.toPrecision(4))}${units[unit]}`
}

/** `[=====>      ]  1.2MB/9.9MB` */
export function progressBar(current: number, total: number): string {
  if (current <= 0 && total <= 0) return ''
  if (total <= 0) return humanSize(current).padStart(8)
  const filled = Math.min(Math.trunc(Math.trunc((current / total) * 100) / 2), barWidth)
  const bar = `[${'='.repeat(filled)}>${' '.repeat(barWidth - filled)}] `
  const numbers = humanSize(current).padStart(8)
  return bar + (current > total ? numbers : `${numbers}/${humanSize(total)}`)
}

/** A step of one layer. */
export const step = (id: string, status: string): ProgressMessage => ({ status, progressDetail: {}, id })

export const amount = (id: string, status: string, current: number, total: number): ProgressMessage => ({
  status,
  progressDetail: { current, total },
  progress: progressBar(current, total),
  id,
})

const messageEveryMs = 100

/** Reports how far a layer is, not more often than eyes can follow. */
export function meter(report: Report, id: string, status: string, total: number): (current: number) => void {
  let last = 0
  return (current) => {
    const now = performance.now()
    if (now - last < messageEveryMs && current < total) return
    last = now
    report(amount(id, status, current, total))
  }
}

/** Twelve digits name a layer. */
export const shortId = (digest: string): string => digest.replace(/^sha256:/, '').slice(0, 12)

/** Work that reports as it goes, as a stream of its messages. Its errors are thrown before the first, and told after. */
export async function* progressOf(
  work: (report: Report, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<ProgressMessage> {
  const gone = new AbortController()
  const queue = new MessageQueue()
  const end = work((message) => queue.add(message), AbortSignal.any([signal, gone.signal])).then(
    () => queue.end(undefined),
    (problem: unknown) => queue.end({ problem }),
  )
  let hasBegun = false
  try {
    for (;;) {
      const message = await queue.take()
      if (message === undefined) break
      hasBegun = true
      yield message
    }
    if (queue.failure === undefined) return
    if (!hasBegun || signal.aborted) throw queue.failure.problem
    const message = messageOf(queue.failure.problem)
    yield { errorDetail: { message }, error: message }
  } finally {
    gone.abort() // nobody listens any more
    await end
  }
}

/** Of a reader who is slow only the newest amounts wait: one for each layer. */
class MessageQueue {
  failure: { problem: unknown } | undefined
  #waiting: ProgressMessage[] = []
  #isEnded = false
  #wake: (() => void) | undefined

  add(message: ProgressMessage): void {
    const isAmount = message.progress !== undefined
    const older = isAmount
      ? this.#waiting.findIndex(
          ({ id, status, progress }) => id === message.id && status === message.status && progress !== undefined,
        )
      : -1
    if (older < 0) this.#waiting.push(message)
    else this.#waiting[older] = message
    this.#wake?.()
  }

  end(failure: { problem: unknown } | undefined): void {
    this.failure = failure
    this.#isEnded = true
    this.#wake?.()
  }

  async take(): Promise<ProgressMessage | undefined> {
    while (this.#waiting.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#waiting.shift()
  }
}

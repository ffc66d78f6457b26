// Waiting until the files of stores have been worked through.
import type { Events } from '@atoll/kernel/events/events'
import { type FilesEvent, filesTopic } from './files/attachments.ts'

/** Events wake; a look now and then finds what an event was lost for. */
const lookEveryMs = 1_000

/** Resolves to false after `timeoutMs`; rejects when the signal says stop. */
export async function waitForFiles(
  events: Events,
  storeIds: readonly string[],
  isReady: () => Promise<boolean>,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  let wake: () => void = () => undefined
  const stop = events.subscribe(filesTopic, (payload) => {
    if (storeIds.includes((payload as FilesEvent).storeId)) wake()
  })
  const leave = (): void => wake()
  signal.addEventListener('abort', leave)
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      signal.throwIfAborted()
      if (await isReady()) return true
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return false
      const timer = setTimeout(wake, Math.min(leftMs, lookEveryMs))
      await woken
      clearTimeout(timer)
    }
  } finally {
    signal.removeEventListener('abort', leave)
    stop()
  }
}

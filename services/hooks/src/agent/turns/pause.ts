import { setTimeout } from 'node:timers/promises'

/** Rejects with the signal's reason when it is aborted meanwhile. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

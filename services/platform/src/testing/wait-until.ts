import { setTimeout } from 'node:timers/promises'

const mostMs = 100

/** Waits for a condition that some event will make true; fails when it never does. Looks less often by and by. */
export async function waitUntil(condition: () => Promise<boolean> | boolean, timeoutMs = 20_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = 10; !(await condition()); pauseMs = Math.min(pauseMs * 1.2, mostMs)) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await setTimeout(pauseMs)
  }
}

import { setTimeout } from 'node:timers/promises'

/** Waits for a condition that some event will make true; fails when it never does. */
export async function waitUntil(condition: () => Promise<boolean> | boolean, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await setTimeout(10)
  }
}

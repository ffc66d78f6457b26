// Programs that tests need may still be on their way when the first files run: `./atoll test` leaves a mark until they
// are there. Files that need some wait; looked for any sooner, a program would be missing in all that come after.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pollMs = 200

/** The mark holds regular expressions, one a line: paths of the tests that wait. */
export async function untilPrepared(testPath: string): Promise<void> {
  const mark = process.env.ATOLL_TEST_PREPARING
  if (mark === undefined || !waits(mark, relative(root, testPath))) return
  while (existsSync(mark)) await pause(pollMs)
}

function waits(mark: string, path: string): boolean {
  try {
    const patterns = readFileSync(mark, 'utf8').split('\n')
    return patterns.some((pattern) => new RegExp(pattern).test(path))
  } catch {
    // It is gone.
    return false
  }
}

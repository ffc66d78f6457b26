// Takes a port that may be in use a moment longer than whoever used it lives: a child of an engine that was killed has
// its sockets until it becomes another program.
import { setTimeout as delay } from 'node:timers/promises'

const maxTries = 6
const pauseMs = 50

export const isInUse = (problem: unknown): boolean =>
  problem instanceof Error && 'code' in problem && problem.code === 'EADDRINUSE'

export async function onceFree<T>(take: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await take()
    } catch (problem) {
      if (tries === maxTries || !isInUse(problem)) throw problem
      await delay(pauseMs)
    }
  }
}

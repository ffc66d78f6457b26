// No part that a container depends on may keep it waiting for ever.
import { unavailable } from '../../errors.ts'

export const seconds = (count: number): number => count * 1000

/** Whatever the work becomes, its caller goes on after `milliseconds`. */
export async function within<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(`${what} did not end within ${milliseconds / 1000} s`)), milliseconds)
    timer.unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** True when the work ended in time. Waits for ever when `milliseconds` is undefined. */
export async function endsWithin(milliseconds: number | undefined, work: Promise<unknown>): Promise<boolean> {
  if (milliseconds === undefined) {
    await work
    return true
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds)
  })
  try {
    return await Promise.race([work.then(() => true as const), late])
  } finally {
    clearTimeout(timer)
  }
}

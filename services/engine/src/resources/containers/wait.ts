// Waits until a container ends, ends again, or is gone.
import { invalidParameter } from '../../errors.ts'
import type { Container } from './container.ts'
import type { WaitResult } from './waiters.ts'

const conditions = ['not-running', 'next-exit', 'removed'] as const
export type WaitCondition = (typeof conditions)[number]

export function readCondition(text: string | undefined): WaitCondition {
  if (!text) return 'not-running'
  const found = conditions.find((condition) => condition === text)
  if (found === undefined) throw invalidParameter(`invalid condition: "${text}"`) // ENG-313
  return found
}

export async function waitFor(
  container: Container,
  condition: WaitCondition,
  signal?: AbortSignal,
): Promise<WaitResult> {
  if (condition === 'removed') return container.waiters.next('removal', signal)
  if (condition === 'next-exit' || container.isUp) return container.waiters.next('exit', signal)
  const { exitCode, error } = container.state
  return error === '' ? { exitCode } : { exitCode, error }
}

/** ENG-318: without an error there is none in the answer. */
export function waitAnswer({ exitCode, error }: WaitResult, ways: ReadonlySet<string>) {
  const hasError = error !== undefined && !ways.has('wait-without-error')
  return { StatusCode: exitCode, ...(hasError ? { Error: { Message: error } } : {}) }
}

/** Comes when it comes. */
export async function* waitText(result: Promise<WaitResult>, ways: ReadonlySet<string>): AsyncGenerator<string> {
  yield `${JSON.stringify(waitAnswer(await result, ways))}\n`
}

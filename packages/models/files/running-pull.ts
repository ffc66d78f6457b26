// A pull that goes on while the server does other things.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { PullNews, PullOrder } from './pull-process.ts'

const entry = fileURLToPath(new URL('./pull-process.ts', import.meta.url))

export interface RunningPull {
  readonly fetchedBytes: number
  /** Unknown until the hub has told it. */
  readonly bytes: number | undefined
  readonly isChecking: boolean
  /** Resolves at the end, to what went wrong if something did. */
  readonly ended: Promise<string | undefined>
  /** What was fetched is kept for the next time. */
  stop(): void
}

export function startPull(order: PullOrder, onLog: (line: string) => void): RunningPull {
  const child = fork(entry, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>()
  const state = { fetchedBytes: 0, bytes: undefined as number | undefined, isChecking: false }
  let isStopped = false
  child.on('message', (news: PullNews) => {
    if (news.type === 'fetched') Object.assign(state, { fetchedBytes: news.bytes, bytes: news.of })
    if (news.type === 'checking') state.isChecking = true
    if (news.type === 'done') resolve(undefined)
    if (news.type === 'failed') resolve(isStopped ? undefined : news.message)
  })
  child.stderr?.setEncoding('utf8').on('data', onLog)
  child.once('error', (error) => resolve(error.message))
  child.once('exit', () => resolve(isStopped ? undefined : 'the download ended before it was done'))
  child.send(order, () => {})
  return {
    get fetchedBytes() {
      return state.fetchedBytes
    },
    get bytes() {
      return state.bytes
    },
    get isChecking() {
      return state.isChecking
    },
    ended,
    stop() {
      isStopped = true
      if (child.connected) child.disconnect()
    },
  }
}

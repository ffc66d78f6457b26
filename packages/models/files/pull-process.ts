// Pulls one model in a process of its own: what is fetched is hashed, and the server has other things to do.
import { ModelFileProblem } from './problem.ts'
import { pull } from './pull.ts'

export interface PullOrder {
  what: string
  folder: string
  hub: string
}

export type PullNews =
  | { type: 'fetched'; bytes: number; of: number | undefined }
  | { type: 'checking' }
  | { type: 'done' }
  | { type: 'failed'; message: string }

const tellEveryMs = 250

process.once('message', (order: PullOrder) => {
  void run(order)
})

async function run({ what, folder, hub }: PullOrder): Promise<void> {
  const stop = new AbortController()
  // What is here stays here: the next pull goes on from it.
  process.once('disconnect', () => stop.abort())
  let [fetched, whole] = [0, undefined as number | undefined]
  const tell = () => send({ type: 'fetched', bytes: fetched, of: whole })
  const timer = setInterval(tell, tellEveryMs)
  const progress = {
    begin(_: string, bytes: number | undefined, done: number) {
      fetched = done
      whole = bytes
    },
    bytes(count: number) {
      fetched += count
    },
    checking() {
      tell()
      send({ type: 'checking' })
    },
    note() {},
  }
  try {
    await pull(what, { folder, hub, token: process.env.HF_TOKEN, env: process.env, progress, signal: stop.signal })
    send({ type: 'done' })
  } catch (error) {
    send({ type: 'failed', message: reason(error) })
  }
  clearInterval(timer)
  if (process.connected) process.disconnect()
}

/** What a person can change is told; the rest is a fault of ours and of the log. */
function reason(error: unknown): string {
  if (error instanceof ModelFileProblem) return error.message
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return 'the disk is full'
  console.error(error)
  return 'the download failed; the log of this server tells more'
}

const send = (news: PullNews): void => void process.send?.(news, undefined, undefined, () => {})

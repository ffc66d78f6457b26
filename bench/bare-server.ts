// The baseline: the least a Node server can do for the same work, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface BareServer {
  url: string
  process: ChildProcess
  close(): Promise<void>
}

/** `answer`: sends this, with these headers, to everything. `store`: streams request bodies into files of this folder. */
export type BareWork = { answer: string; headers: Record<string, string> } | { store: string }

export async function bareServer(work: BareWork): Promise<BareServer> {
  const script = fileURLToPath(new URL('./bare-server-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.send(work)
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

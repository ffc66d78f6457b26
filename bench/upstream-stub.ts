// A model server that does no work, in a process of its own: what is measured in front of it is not the model.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

interface UpstreamStub {
  /** Ends in /v1. */
  url: string
  close(): Promise<void>
}

export async function startStub(): Promise<UpstreamStub> {
  const child = fork(fileURLToPath(new URL('./upstream-stub-process.ts', import.meta.url)))
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

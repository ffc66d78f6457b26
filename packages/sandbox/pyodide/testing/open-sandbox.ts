// A sandbox for tests. They share the file that makes Python's start quick: it is made once on a machine.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import type { Sandbox, SandboxResult, SandboxSession } from '../../sandbox.ts'
import { createPyodideSandbox, type PyodideSandboxOptions } from '../create-pyodide-sandbox.ts'

export const testCacheFolder = join(tmpdir(), 'atoll-test-python')

/** The first test on a machine makes that file, perhaps beside many others that want the processor. */
export const firstStartMs = 120_000

export const openSandbox = (options: Partial<PyodideSandboxOptions> = {}): Sandbox =>
  createPyodideSandbox({ log: silentLog, cacheFolder: testCacheFolder, ...options })

export async function runIn(session: SandboxSession, code: string): Promise<SandboxResult & { logs: string }> {
  const result = await session.run(code, { signal: new AbortController().signal })
  return { ...result, logs: logsOf(result) }
}

export const logsOf = ({ outputs }: SandboxResult): string =>
  outputs.map((output) => (output.type === 'logs' ? output.logs : '')).join('')

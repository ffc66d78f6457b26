// A server whose Python loops for ever: the test kills it.
import type { PythonSession } from '../session.ts'
import { openSandbox } from './open-sandbox.ts'

const { session } = await openSandbox().session('loop')
const { pid } = session as PythonSession
await session.run('print("looping")\nwhile True: pass', {
  signal: new AbortController().signal,
  onLogs: () => process.send?.(pid),
})

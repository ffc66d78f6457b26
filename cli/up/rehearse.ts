// Starts and ends everything once in a folder of its own, so that the compiled code is there for the real start.
import { mkdtempSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAtollConfig } from '../config.ts'
import { startAtoll } from './compose.ts'
import '../main.ts'
import './up.ts'

const data = mkdtempSync(join(tmpdir(), 'atoll-rehearsal-'))
try {
  const config = await loadAtollConfig({ env: {}, flags: { data, port: '0' } })
  const running = await startAtoll(config)
  await running.close()
  flushCompileCache()
} finally {
  rmSync(data, { recursive: true, force: true })
}
process.exit(0)

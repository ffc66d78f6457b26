// Executed before every test file, by vitest.config.ts.
import { keepIdleWriters } from '@atoll/kernel/db/sqlite/writer-workers'
import { afterAll, afterEach, vi } from 'vitest'
import { endFile, endTest } from './after-tests.ts'
import { refuseFullScans } from './full-scans.ts'

// What the file before has set.
vi.resetConfig()
// The next database has the thread of the last one: a thread takes longer to start than most tests to run.
keepIdleWriters(4)

afterEach(refuseFullScans)
afterEach(endTest)
afterAll(endFile)

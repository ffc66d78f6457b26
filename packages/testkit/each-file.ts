// Executed before every test file, by vitest.config.ts.
import { keepIdleWriters } from '@atoll/kernel/db/sqlite/writer-workers'
import { afterAll, afterEach, expect, vi } from 'vitest'
import { endFile, endTest } from './after-tests.ts'
import { refuseFullScans } from './full-scans.ts'
import { untilPrepared } from './prepared.ts'
import { writeProcessorTime } from './processor-time.ts'

await untilPrepared(expect.getState().testPath ?? '')
// What the file before has set.
vi.resetConfig()
// The next database has the thread of the last one: a thread takes longer to start than most tests to run.
keepIdleWriters(4)

// First, so that its end comes after the file's own.
if (process.env.ATOLL_TEST_CPU) writeProcessorTime(process.env.ATOLL_TEST_CPU)
afterEach(refuseFullScans)
afterEach(endTest)
afterAll(endFile)

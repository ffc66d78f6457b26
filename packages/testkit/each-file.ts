// Executed before every test file, by vitest.config.ts.
import { afterAll, afterEach, vi } from 'vitest'
import { endFile, endTest } from './after-tests.ts'
import { refuseFullScans } from './full-scans.ts'

// What the file before has set.
vi.resetConfig()

afterEach(refuseFullScans)
afterEach(endTest)
afterAll(endFile)

import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { programFiles } from './bin/program-files.js'
import { LongestFirst } from './cli/test/order.ts'

const root = import.meta.dirname
/** Those that many tests start, again and again. */
const programs = ['reader-process', 'python-child', 'run-node', 'agent-child', '(modules-)?crash-child']

export default defineConfig({
  plugins: [programFiles(root, `${root}/node_modules/.cache/atoll-test-programs`, programs)],
  test: {
    include: ['{packages,services,cli,console,bench,architecture,training}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env.ATOLL_TEST_LONG === '1' ? [] : ['**/*.long.test.ts'])],
    globalSetup: ['packages/testkit/shared-folder.ts'],
    setupFiles: ['packages/testkit/each-file.ts'],
    pool: 'forks',
    // A process takes file after file: loading everything anew for each was two fifths of the time.
    isolate: false,
    // Room for what a request needs only for a moment, as `./atoll` gives servers.
    execArgv: ['--max-semi-space-size=32'],
    // Three more than there are processors: with two more, tests that wait for programs and clocks left a fifth unused.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is awaited comes in milliseconds; where others use the machine it may take seconds.
    expect: { poll: { timeout: 10_000 } },
    reporters: [
      'default',
      ['junit', { outputFile: process.env.ATOLL_TEST_REPORT ?? 'reports/junit.xml', addFileAttribute: true }],
    ],
  },
})

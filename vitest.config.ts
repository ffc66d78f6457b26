import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{packages,services,cli,bench,architecture}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', ['junit', { outputFile: 'reports/junit.xml' }]],
  },
})

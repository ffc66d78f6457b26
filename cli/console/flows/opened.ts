import type { Page } from 'playwright-core'
import type { Problems } from '../testing/problems.ts'

/** What the tests of all pages share: one browser, logged in, on one server. */
export interface OpenedConsole {
  page: Page
  url: string
  problems: Problems
}

/** Of a machine that does much else. */
export const flowLimitMs = 180_000

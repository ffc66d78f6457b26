import type { Page } from 'playwright-core'

/** What the tests of all pages share: one browser, logged in, on one server. */
export interface OpenedConsole {
  page: Page
  url: string
}

/** Of a machine that does much else. */
export const flowLimitMs = 180_000

// For tests: Debian's Chromium, driven as a person uses it.
import { findProgram } from '@atoll/kernel/programs/find-program'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

interface BrowserOptions {
  executablePath?: string
  /** A sound file that its microphone plays. */
  microphone?: string
}

export const startBrowser = ({ executablePath, microphone }: BrowserOptions = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: executablePath ?? findProgram('chromium') ?? '',
    args: [
      // Tests run as root in containers, where its own sandbox cannot be made; it opens nothing but the test's server.
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      ...(microphone === undefined
        ? []
        : ['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${microphone}`]),
    ],
  })

/** All that the navigation leads to. */
export const allPages = (page: Page): Promise<{ name: string; path: string }[]> =>
  page
    .getByRole('navigation')
    .locator('a:not([target])')
    .evaluateAll((links) =>
      links.map((link) => ({ name: link.textContent?.trim() ?? '', path: link.getAttribute('href') ?? '' })),
    )

/** What the accessibility checker finds to be serious or worse, as `rule: element`; by all rules, or by these. */
export async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  // Half a megabyte, which stays until another document is loaded.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source)
  return page.evaluate(async (only) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe }
    const { violations } = await checker.run({
      resultTypes: ['violations'],
      ...(only !== undefined && { runOnly: { type: 'rule', values: only } }),
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
  }, rules)
}

const rulesOfColours = ['color-contrast', 'link-in-text-block']

/** Those of the light theme, and what the dark one adds: it has the same elements in other colours. */
export async function findingsOfThemes(page: Page): Promise<string[]> {
  await page.getByText('Light', { exact: true }).click()
  const light = await seriousFindings(page)
  await page.getByText('Dark', { exact: true }).click()
  const dark = await seriousFindings(page, rulesOfColours)
  return [...light, ...dark.map((finding) => `dark: ${finding}`)]
}

// The console is tried in a real browser. Where it is missing and may be installed, it is.
import { aptInstall, whyNotInstall } from '../programs/apt.ts'
import { findProgram } from '../programs/search.ts'

/** Debian's packages. */
export const missingBrowser = (): string[] => (findProgram('chromium') === undefined ? ['chromium'] : [])

export function prepareBrowser(mayInstall: boolean): void {
  if (findProgram('chromium')) return
  const hindrance = whyNotInstall(mayInstall)
  if (hindrance === undefined) {
    console.log('Chromium is missing: installing it with apt-get, for the tests.')
    if (aptInstall(['chromium']) && findProgram('chromium') !== undefined) return
  }
  console.log(
    `Chromium is missing (${hindrance ?? 'apt-get could not install it'}): the tests that need it are skipped.`,
  )
  console.log('To run them: apt-get install chromium\n')
}

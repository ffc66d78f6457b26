// What renders the chart in tests where there is no helm: Go, and two libraries of it that helm is built on.
import { aptInstall, whyNotInstall } from './apt.ts'
import { findProgram } from './search.ts'

const packages = ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-k8s-sigs-yaml-dev']

/** Debian's packages. Half a gigabyte: only for the long form of the tests. */
export function missingForHelm(): string[] {
  const isLong = process.env.ATOLL_TEST_LONG === '1'
  return isLong && findProgram('helm') === undefined && findProgram('go') === undefined ? packages : []
}

/** What stays missing skips those that need it. */
export function prepareHelm(mayInstall: boolean): void {
  const lacking = missingForHelm()
  if (lacking.length === 0 || whyNotInstall(mayInstall) !== undefined) return
  process.stderr.write('atoll: installing golang-go …\n')
  aptInstall(lacking)
}

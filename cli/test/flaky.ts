// A test that passes only at its second try is a race that nobody has found yet: it counts as failed, and is named.
// So is a file whose process died.
import { countOutcomes, type TestCase } from './junit.ts'

/** More than these do not fail by chance. */
const maxFiles = 10
const maxMessageCharacters = 300

const failedIn = (cases: readonly TestCase[]): TestCase[] => cases.filter(({ outcome }) => outcome === 'failed')

/** The files to run again; none when there is no hope. */
export function filesToTryAgain(cases: readonly TestCase[]): string[] {
  const files = new Set(failedIn(cases).flatMap(({ file }) => file ?? []))
  return files.size <= maxFiles ? [...files] : []
}

/** A line for every test that failed first and whose file passed then: nobody shall overlook it. */
export function flakyReport(first: readonly TestCase[], second: readonly TestCase[]): string[] {
  const byFile = Map.groupBy(second, ({ file }) => file)
  const nowPasses = ({ file }: TestCase) => {
    const { passed, failed } = countOutcomes(byFile.get(file) ?? [])
    return file !== undefined && passed > 0 && failed === 0
  }
  return failedIn(first).flatMap((failed) => {
    if (failed.crash !== undefined) return crashLine(failed, nowPasses(failed))
    return nowPasses(failed) ? flakyLine(failed) : []
  })
}

const crashLine = ({ file, crash }: TestCase, nowPasses: boolean): string =>
  `crashed: the process of ${file} ended with ${crash}; alone, the file ${nowPasses ? 'passes' : 'fails too'}`

function flakyLine({ file, name, message }: TestCase): string {
  const [line = ''] = plain(message).split('\n')
  return `flaky, passed only the second time: ${file} > ${plain(name)} (first: ${line.slice(0, maxMessageCharacters)})`
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const plain = (text: string): string => text.replace(/&(lt|gt|quot|apos|amp);/g, (all, name) => entities[name] ?? all)

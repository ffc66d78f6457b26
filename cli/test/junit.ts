// Reads JUnit reports, as far as counting needs it, and joins two of them.
export interface TestCase {
  name: string
  /** Undefined: an error that came from no file in particular. */
  file: string | undefined
  outcome: 'passed' | 'failed' | 'skipped'
  /** Of the failure. */
  message: string
}

/** The suite of errors that no test caught. */
const uncaughtSuite = 'vitest unhandled errors'

const casePattern = /[ \t]*<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)\n?/g
const suitePattern = /[ \t]*<testsuite\b([^>]*)>[\s\S]*?<\/testsuite>\n?/g

export function readTestCases(xml: string): TestCase[] {
  return Array.from(xml.matchAll(casePattern), ([, attributes = '', body = '']) => readCase(attributes, body))
}

function readCase(attributes: string, body: string): TestCase {
  const failure = /<(?:failure|error)\b([^>]*)/.exec(body)
  const suite = attribute(attributes, 'classname')
  return {
    name: attribute(attributes, 'name') ?? '',
    file: attribute(attributes, 'file') ?? (suite === uncaughtSuite ? undefined : suite),
    outcome: failure !== null ? 'failed' : /<skipped\b/.test(body) ? 'skipped' : 'passed',
    message: attribute(failure?.[1] ?? '', 'message') ?? '',
  }
}

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]

export function countOutcomes(cases: readonly TestCase[]): Record<TestCase['outcome'], number> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { outcome } of cases) counts[outcome]++
  return counts
}

/** The first report, but with what the second says about the files that it has. */
export function joinReports(first: string, second: string): string {
  const suites = Array.from(second.matchAll(suitePattern), ([suite]) => suite)
  const ranAgain = new Set(suites.map((suite) => attribute(suite, 'name')).filter((name) => name !== uncaughtSuite))
  const kept = Array.from(first.matchAll(suitePattern), ([suite]) => {
    const name = attribute(suite, 'name')
    return name === uncaughtSuite ? withoutFiles(suite, ranAgain) : ranAgain.has(name) ? '' : suite
  })
  const body = [...kept, ...suites].join('')
  const { passed, failed, skipped } = countOutcomes(readTestCases(body))
  const head = `<testsuites name="vitest tests" tests="${passed + failed + skipped}" failures="${failed}">`
  return `<?xml version="1.0" encoding="UTF-8" ?>\n${head}\n${body}</testsuites>\n`
}

function withoutFiles(suite: string, files: ReadonlySet<string | undefined>): string {
  const left = suite.replace(casePattern, (test: string, attributes: string) =>
    files.has(attribute(attributes, 'file')) ? '' : test,
  )
  const count = readTestCases(left).length
  return count === 0 ? '' : left.replace(/ (tests|errors)="\d+"/g, ` $1="${count}"`)
}

// Reads JUnit reports, as far as counting needs it.
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

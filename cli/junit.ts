// Reads a JUnit report, as far as counting needs it.
export interface TestCase {
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
}

export function readTestCases(xml: string): TestCase[] {
  const cases = xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)
  return Array.from(cases, ([, attributes = '', body = '']) => ({
    name: / name="([^"]*)"/.exec(attributes)?.[1] ?? '',
    outcome: /<(?:failure|error)\b/.test(body) ? 'failed' : /<skipped\b/.test(body) ? 'skipped' : 'passed',
  }))
}

export function countOutcomes(cases: readonly TestCase[]): Record<TestCase['outcome'], number> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { outcome } of cases) counts[outcome]++
  return counts
}

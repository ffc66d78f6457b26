// Reads JUnit reports, as far as counting needs it.
import { relative } from 'node:path'

export interface TestCase {
  name: string
  /** Undefined: an error that came from no file in particular. */
  file: string | undefined
  outcome: 'passed' | 'failed' | 'skipped'
  /** Of the failure. */
  message: string
  /** How the process ended that was at this file: `signal SIGABRT`. */
  crash?: string
}

/** The suite of errors that no test caught. */
const uncaughtSuite = 'vitest unhandled errors'

const casePattern = /[ \t]*<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)\n?/g

/** `folder` is where the run was: files that a process died at are named by whole paths. */
export function readTestCases(xml: string, folder: string): TestCase[] {
  const parts = Array.from(xml.matchAll(casePattern), ([, attributes = '', body = '']) => ({ attributes, body }))
  const crashes = parts.flatMap(({ body }) => readCrash(body, folder))
  const crashed = new Set(crashes.map(({ file }) => file))
  // The report takes what never ran for passed.
  const others = parts
    .filter(({ body }) => !crashPattern.test(body))
    .map(({ attributes, body }) => readCase(attributes, body))
    .filter(({ file }) => !crashed.has(file))
  return [...others, ...crashes]
}

const crashPattern = /Worker exited unexpectedly (?:with (.+?) )?during \w+ state while running test files? (.+)/

function readCrash(body: string, folder: string): TestCase[] {
  const [, how = 'no word why', paths = ''] = crashPattern.exec(body) ?? []
  return paths
    .split(', ')
    .filter((path) => path !== '')
    .map((path) => ({
      name: 'the process of this file died',
      file: relative(folder, path),
      outcome: 'failed',
      message: how,
      crash: how,
    }))
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

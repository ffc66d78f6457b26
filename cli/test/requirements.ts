// Which numbered requirements the tests prove: those whose id stands in the name of a test that passed,
// and in none that failed or was skipped.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestCase } from './junit.ts'

export interface Requirement {
  id: string
  /** The document: inference, engine, … */
  list: string
  group: string
  statement: string
}

export interface GroupTally {
  list: string
  group: string
  all: number
  missing: Requirement[]
}

const lists = ['inference', 'assistants', 'engine', 'hooks', 'modules']
const idPattern = /\b(?:INF|AST|ENG|HOOK|MOD)-\d{3}\b/g

export function readRequirements(folder: string): Requirement[] {
  return lists.flatMap((list) =>
    readFileSync(join(folder, `${list}.tsv`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [id = '', group = '', statement = ''] = line.split('\t')
        return { id, list, group, statement }
      }),
  )
}

export function provenIds(cases: readonly TestCase[]): Set<string> {
  const proven = new Set<string>()
  const spoiled = new Set<string>()
  for (const { name, outcome } of cases) {
    for (const id of name.match(idPattern) ?? []) (outcome === 'passed' ? proven : spoiled).add(id)
  }
  return new Set([...proven].filter((id) => !spoiled.has(id)))
}

export function tally(requirements: readonly Requirement[], proven: ReadonlySet<string>): GroupTally[] {
  const groups = Map.groupBy(requirements, ({ list, group }) => `${list}\t${group}`)
  return Array.from(groups.values(), (members) => ({
    list: members[0]?.list ?? '',
    group: members[0]?.group ?? '',
    all: members.length,
    missing: members.filter(({ id }) => !proven.has(id)),
  }))
}

/** Ids in the names of tests that no list has: a slip of the pen that would prove nothing. */
export function unknownIds(requirements: readonly Requirement[], cases: readonly TestCase[]): string[] {
  const known = new Set(requirements.map(({ id }) => id))
  const named = cases.flatMap(({ name }) => name.match(idPattern) ?? [])
  return [...new Set(named)].filter((id) => !known.has(id))
}

// The requirements in words: what was proven, and what was not.
import type { GroupTally } from './requirements.ts'

/** A line for each group, and the sum. A run of a part names only the groups it proves anything of. */
export function provenReport(tallies: readonly GroupTally[], isPart: boolean): string {
  const rows = tallies
    .map(({ list, group, all, missing }) => ({ list, group, all, proven: all - missing.length }))
    .filter(({ proven }) => proven > 0 || !isPart)
    .map(
      ({ list, group, all, proven }) =>
        `${list.padEnd(11)} ${group.padEnd(28)} ${String(proven).padStart(4)} / ${all}\n`,
    )
  const all = sum(tallies.map((tally) => tally.all))
  const missing = sum(tallies.map((tally) => tally.missing.length))
  return `${rows.join('')}requirements proven: ${all - missing} of ${all}\n`
}

/** The statements no test proves, of one group or document or of all. */
export function missingReport(tallies: readonly GroupTally[], wanted?: string): string {
  const chosen = tallies.filter(({ list, group }) => wanted === undefined || wanted === group || wanted === list)
  return chosen
    .filter(({ missing }) => missing.length > 0)
    .map(({ list, group, all, missing }) => {
      const lines = missing.map(({ id, statement }) => `    ${id}  ${statement}\n`)
      return `${list} ${group}: ${missing.length} of ${all} not proven\n${lines.join('')}`
    })
    .join('')
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)

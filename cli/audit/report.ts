// What `./atoll audit verify` found, for people.
import type { ChainState } from './chains.ts'

export function auditReport(states: readonly ChainState[]): string {
  if (states.length === 0) return 'No audit log has been activated yet: there is nothing to verify.\n'
  const width = Math.max(...states.map(({ chain }) => chain.length))
  const lines = states.map((state) => `${state.chain.padEnd(width)}  ${wordsFor(state)}\n`)
  const broken = states.filter(({ intact }) => !intact).length
  const sum = broken === 0 ? 'Every entry is there and as it was written.' : `${broken} of ${states.length} not intact.`
  return `${lines.join('')}\n${sum}\n`
}

function wordsFor({ intact, entries, hash, broken_at, problem }: ChainState): string {
  if (intact) return `intact, ${entries === 1 ? '1 entry' : `${entries} entries`}${hash ? `, newest ${hash}` : ''}`
  const before = entries > 0 ? ` (those before it, ${entries}, are as they were written)` : ''
  switch (problem) {
    case 'changed':
      return `NOT INTACT: entry ${broken_at} was changed${before}`
    case 'removed':
      return `NOT INTACT: entry ${broken_at} was removed${before}`
    case 'added':
      return `NOT INTACT: entry ${broken_at} was added past the end, or the record of the end was changed${before}`
    case 'deactivated':
      return `NOT INTACT: the audit log was switched off by hand after ${entries} entries`
    default:
      return 'NOT INTACT: it was rewritten, or cut off, since the earlier report'
  }
}

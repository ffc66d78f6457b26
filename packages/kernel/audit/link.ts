// How one entry hangs on the one before it.
import { hash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'
import type { AuditHead, AuditRow } from './store.ts'

/** What the first entry hangs on. */
export const beginning: AuditHead = { seq: 0, hash: '0'.repeat(64) }

type Content = Pick<AuditRow, 'chain' | 'seq' | 'previous' | 'entry'>

export const hashOf = ({ chain, seq, previous, entry }: Content): string =>
  hash('sha256', `${chain}\n${seq}\n${previous}\n${entry}`, 'hex')

/** The row of an entry that hangs on `head`, or is the first. `at` is when it was made, ISO 8601. */
export const rowAfter = (head: AuditHead | undefined, chain: string, entry: { at: string }): AuditRow => {
  const before = head ?? beginning
  const content = { chain, seq: before.seq + 1, previous: before.hash, entry: canonicalJson(entry) }
  return { ...content, hash: hashOf(content) }
}

export const isAsWritten = (row: AuditRow, before: AuditHead): boolean =>
  row.previous === before.hash && row.hash === hashOf(row)

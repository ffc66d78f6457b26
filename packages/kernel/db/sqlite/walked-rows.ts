// Whether a statement goes from row to row of what is stored, or only looks up the keys that it names.
import type { Row } from './reader.ts'

/** Opcodes of SQLite's virtual machine that go on to another row, or count them all. */
const walking: readonly unknown[] = ['Next', 'Prev', 'VNext', 'SorterNext', 'Count']
/** Of those that fill the list of an `in (?, ?)` from the statement's own values. */
const filling: readonly unknown[] = [
  'Variable',
  'Integer',
  'Int64',
  'Real',
  'String8',
  'Null',
  'MakeRecord',
  'IdxInsert',
]

/** `program`: as SQLite explains it. */
export function walksRows(program: readonly Row[]): boolean {
  const lists = new Set(program.flatMap((step, at) => (isList(program, at) ? [step.p1] : [])))
  return program.some(({ opcode, p1 }) => walking.includes(opcode) && !lists.has(p1 ?? null))
}

/** A table for the moment, into which nothing is put but the statement's own values. */
function isList(program: readonly Row[], opening: number): boolean {
  const cursor = program[opening]?.p1
  if (program[opening]?.opcode !== 'OpenEphemeral') return false
  const end = program.findIndex(({ opcode }, at) => at > opening && !filling.includes(opcode))
  return program[end]?.opcode === 'NullRow' && program[end].p1 === cursor
}

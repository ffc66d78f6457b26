import type { TableShape } from './snapshot.ts'

/** Tables that others refer to come first. */
export function inOrderOfReferences<Table extends Pick<TableShape, 'name' | 'references'>>(
  tables: readonly Table[],
): Table[] {
  const left = new Map(tables.map((table) => [table.name, table]))
  const ordered: Table[] = []
  while (left.size > 0) {
    const ready = [...left.values()].filter(
      ({ name, references }) => !references.some((other) => other !== name && left.has(other)),
    )
    if (ready.length === 0) throw new Error(`These tables refer to one another: ${[...left.keys()].join(', ')}.`)
    for (const table of ready) {
      left.delete(table.name)
      ordered.push(table)
    }
  }
  return ordered
}

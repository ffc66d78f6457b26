// Rows below their titles, as wide as they need to be.

function table(titles: readonly string[], rows: readonly string[][]): string {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
  return all.map((row) => `${line(row).trimEnd()}\n`).join('')
}

/** For people: a table, or what to do while there is nothing. For programs: the cluster's own JSON. */
export function show<Item>(
  items: readonly Item[],
  { json, titles, row, none }: { json?: boolean; titles: string[]; row: (item: Item) => string[]; none: string },
): void {
  if (json) process.stdout.write(`${JSON.stringify(items, null, 2)}\n`)
  else process.stdout.write(items.length === 0 ? `${none}\n` : table(titles, items.map(row)))
}

/** To the second, in UTC. */
export const timeText = (time: number | string): string =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`

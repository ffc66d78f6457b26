// The texts of statements that add many rows, made once for each number of rows: to build one for each request would
// take longer than to run it.
import type { Compilable } from 'kysely'

const texts = new Map<string, string>()

/** `name` stands for the dialect, the statement and the number of rows; there must be few of them. */
export function statementText(name: string, build: () => Compilable): string {
  const known = texts.get(name)
  if (known !== undefined) return known
  const text = build().compile().sql
  texts.set(name, text)
  return text
}

/** In the order of the columns. */
export function valuesOf<Row>(rows: readonly Row[], columns: readonly (keyof Row)[]): unknown[] {
  const values: unknown[] = []
  for (const row of rows) for (const column of columns) values.push(row[column])
  return values
}

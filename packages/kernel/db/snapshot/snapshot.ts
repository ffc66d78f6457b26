// All rows of a database as they were at one moment, while others go on writing: for copies of it.

/** What a column can hold; the same words for both engines. */
export type ColumnType = 'text' | 'integer' | 'number' | 'bytes'

export interface TableShape {
  name: string
  columns: { name: string; type: ColumnType }[]
  /** Tables whose rows must be there before rows of this one. */
  references: string[]
}

export type Value = string | number | null | Uint8Array
/** In the order of the table's columns. */
export type Row = Value[]

export interface Snapshot {
  readonly tables: readonly TableShape[]
  /** All rows in the order of the primary key, `most` at a time. */
  rows(table: TableShape, most: number): AsyncIterable<Row[]>
  close(): Promise<void>
}

// What the calling thread and the writer thread say to each other. Flat arrays: structured clone is fastest on them.

export type Value = null | number | bigint | string | Uint8Array

/** Statements to run. A text travels once and is a number from then on. */
export interface Calls {
  /** Texts not told before; their numbers go on from the last one. */
  texts: string[]
  /** Both sides drop all texts told so far, before `texts`: the store of prepared statements stays bounded. */
  forget: boolean
  /**
   * Pairs: the number of the text, and how many of `values` belong to the call. `batchMark` and a count stand before as
   * many calls that are one: all are kept or none, with one result, how many rows they changed.
   */
  calls: number[]
  values: Value[]
}

export const batchMark = -1

/** `more` promises that another message follows at once, so that it is worth waiting with the commit. */
export type WriteRequest =
  | ({ kind: 'singles'; more: boolean } & Calls)
  | ({ kind: 'turn'; begin: boolean } & Calls)
  | { kind: 'end'; commit: boolean; more: boolean }
  | { kind: 'ping' }

/** A thread that stays after it has closed a file can open another one. */
export type Request = WriteRequest | { kind: 'close'; stay: boolean } | { kind: 'open'; file: string }

export interface Rows {
  columns: string[]
  values: Value[]
}

export interface Failure {
  message: string
  errcode?: number
}

/** A call's result: how many rows it changed, the rows it gave, or why it failed. */
export type Result = number | Rows | Failure

export type Reply =
  | { kind: 'opened' }
  /** Of one call inside a turn; not yet durable. */
  | { kind: 'result'; result: Result }
  /** The commit of a group, or its `failure` when nothing of it was kept: the results of its single writes in order, and how many turns ended in it. */
  | { kind: 'group'; results: Result[]; turns: number; failure?: Failure }
  | { kind: 'pong' }

export type ThreadReply = Reply | { kind: 'closed' }

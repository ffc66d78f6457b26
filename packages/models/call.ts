// What every call of a model carries besides its input.
export interface Call {
  /** Aborted when nobody waits for the answer any more. The model stops within one step of its work. */
  signal: AbortSignal
  /** Whose turn it is (a project's id): those who wait get their turns in equal measure, whoever asked more often. */
  turn: string
  /** Nobody waits for it: it may hold a share of the places at most, and gets one only while no one else wants it. */
  background?: boolean
  /** What was trained on top of the model, for models in GGUF files: the adapter's file. */
  adapter?: string
  /** The id of what was trained: answers of an adapter bear it; a server behind us is asked for it, in place of its own. */
  model?: string
}

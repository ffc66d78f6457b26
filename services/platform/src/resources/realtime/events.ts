// What a session tells its client, in the words of 2024. Every event gets an id when it is sent.
export interface ServerEvent {
  type: string
  [field: string]: unknown
}

export type Emit = (event: ServerEvent) => void

/** As `error` events carry it. */
export interface EventError {
  type: string
  code: string | null
  message: string
  param: string | null
}

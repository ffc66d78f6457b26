// What is wrong with a Dockerfile, and where.
import { HttpError } from '@atoll/kernel/http/error'

/** Counted from 1. */
export interface Place {
  line: number
  column: number
}

/** Something wrong with a piece of text; whoever knows where the piece stands makes a `DockerfileProblem` of it. */
export class Wrong extends Error {
  /** Where in the piece; undefined: all of it. */
  readonly offset: number | undefined

  constructor(message: string, offset?: number) {
    super(message)
    this.offset = offset
  }
}

export class DockerfileProblem extends HttpError {
  readonly line: number
  readonly column: number

  constructor({ line, column }: Place, words: string) {
    const where = column > 1 ? `line ${line}, column ${column}` : `line ${line}`
    const message = `dockerfile parse error on ${where}: ${words}`
    super(400, message, { message })
    this.line = line
    this.column = column
  }
}

// The lines of a Dockerfile put together to statements: continuations joined, comments left out, here-documents taken
// along.
import type { EscapeCharacter, Heredoc } from './dockerfile.ts'
import { findHeredocs } from './heredocs.ts'
import { DockerfileProblem, type Place } from './problem.ts'

export interface Statement {
  /** In one line. */
  text: string
  place: Place
  endLine: number
  heredocs: Heredoc[]
  placeAt(offset: number): Place
}

interface Piece {
  /** Where it begins in the text of the statement. */
  offset: number
  line: number
  column: number
}

const maxStatements = 10_000

export function readStatements(lines: readonly string[], escapedBy: EscapeCharacter): Statement[] {
  const reader = new StatementReader(lines, escapedBy)
  const statements: Statement[] = []
  for (let next = reader.next(); next !== undefined; next = reader.next()) {
    if (statements.length === maxStatements) {
      throw new DockerfileProblem(next.place, `more than ${maxStatements} instructions`)
    }
    statements.push(next)
  }
  return statements
}

class StatementReader {
  readonly #lines: readonly string[]
  readonly #goesOn: RegExp
  readonly #escapedBy: EscapeCharacter
  #at = 0

  constructor(lines: readonly string[], escapedBy: EscapeCharacter) {
    this.#lines = lines
    this.#escapedBy = escapedBy
    // An escape at the end, which is not itself escaped.
    this.#goesOn = escapedBy === '\\' ? /(^|[^\\])\\[ \t]*$/ : /(^|[^`])`[ \t]*$/
  }

  next(): Statement | undefined {
    while (this.#at < this.#lines.length) {
      const statement = this.#read()
      if (statement.text !== '') return this.#withHeredocs(statement)
    }
    return undefined
  }

  #read(): Statement {
    const firstLine = this.#at + 1
    const pieces: Piece[] = []
    let text = ''
    let isFirst = true
    let goesOn = true
    while (goesOn && this.#at < this.#lines.length) {
      const line = withoutLineEnd(this.#lines[this.#at++] ?? '')
      if (isComment(line)) {
        if (isFirst) break
        continue
      }
      const given = isFirst ? line.trimStart() : line
      if (!isFirst && given.trim() === '') continue
      goesOn = this.#goesOn.test(given)
      pieces.push({ offset: text.length, line: this.#at, column: line.length - given.length + 1 })
      text += goesOn ? given.replace(this.#goesOn, '$1') : given
      isFirst = false
    }
    const place = { line: pieces[0]?.line ?? firstLine, column: pieces[0]?.column ?? 1 }
    return { text, place, endLine: this.#at, heredocs: [], placeAt: (offset) => placeIn(pieces, offset) }
  }

  #withHeredocs(statement: Statement): Statement {
    const heredocs = findHeredocs(statement.text, this.#escapedBy).map((mark): Heredoc => {
      let content = ''
      while (this.#at < this.#lines.length) {
        const line = this.#lines[this.#at++] ?? ''
        const bare = withoutLineEnd(line)
        if ((mark.isChomped ? bare.replace(/^\t+/, '') : bare) === mark.name) return { ...mark, content }
        content += line
      }
      throw new DockerfileProblem(statement.place, `unterminated heredoc: there is no line ${mark.name}`)
    })
    return { ...statement, endLine: this.#at, heredocs }
  }
}

const isComment = (line: string): boolean => line.trimStart().startsWith('#')

const withoutLineEnd = (line: string): string => line.replace(/\r?\n$/, '')

function placeIn(pieces: readonly Piece[], offset: number): Place {
  const piece = pieces.findLast((each) => each.offset <= offset)
  if (piece === undefined) return { line: 1, column: 1 }
  return { line: piece.line, column: piece.column + offset - piece.offset }
}

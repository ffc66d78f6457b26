// Text → Dockerfile. Everything that can be known to be wrong before a step runs is found here (ENG-422).
import { readDirectives } from './directives.ts'
import type { Arg, Directives, Dockerfile, EscapeCharacter, Instruction, Stage } from './dockerfile.ts'
import { checkWord } from './expand.ts'
import { Flags } from './flags.ts'
import { instructionTable } from './instruction-table.ts'
import { DockerfileProblem, Wrong } from './problem.ts'
import { readStatements, type Statement } from './statements.ts'

const maxDockerfileBytes = 2 * 1024 * 1024

export function readDockerfile(text: string): Dockerfile {
  if (text.length > maxDockerfileBytes) {
    throw new DockerfileProblem({ line: 1, column: 1 }, `the file has more than ${maxDockerfileBytes} bytes`)
  }
  // Every line with its end: here-documents keep them.
  const lines = text.replace(/^\uFEFF/, '').match(/[^\n]*\n|[^\n]+$/g) ?? []
  const directives = readDirectives(lines.map((line) => line.replace(/\r?\n$/, '')))
  const statements = readStatements(lines, directives.escapedBy)
  if (statements.length === 0) {
    throw new DockerfileProblem({ line: Math.max(lines.length, 1), column: 1 }, 'file with no instructions')
  }
  return collect(directives, statements)
}

/** One instruction by itself: what ONBUILD left in an image, or what `docker commit --change` asks for. */
export function readInstruction(text: string, escapedBy: EscapeCharacter = '\\'): Instruction {
  const [first, second] = readStatements(text.match(/[^\n]*\n|[^\n]+$/g) ?? [], escapedBy)
  if (first === undefined) throw new DockerfileProblem({ line: 1, column: 1 }, 'no instruction')
  if (second !== undefined) throw new DockerfileProblem(second.place, 'more than one instruction')
  return instructionOf(first, escapedBy)
}

function collect(directives: Directives, statements: readonly Statement[]): Dockerfile {
  const globalArgs: Arg[] = []
  const stages: Stage[] = []
  for (const statement of statements) {
    if (/^FROM(\s|$)/i.test(statement.text)) {
      stages.push(placing(statement, () => readStage(statement, directives.escapedBy)))
      continue
    }
    const instruction = instructionOf(statement, directives.escapedBy)
    const stage = stages.at(-1)
    if (stage !== undefined) stage.instructions.push(instruction)
    else if (instruction.kind === 'ARG') globalArgs.push(instruction)
    else throw new DockerfileProblem(statement.place, 'no build stage in current context: FROM must come first')
  }
  const last = statements.at(-1)
  if (stages.length === 0 && last !== undefined)
    throw new DockerfileProblem(last.place, 'no build stage: FROM is missing')
  return { directives, globalArgs, stages }
}

function instructionOf(statement: Statement, escapedBy: EscapeCharacter): Instruction {
  const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(statement.text) ?? []
  const rule = Object.hasOwn(instructionTable, name.toUpperCase()) ? instructionTable[name.toUpperCase()] : undefined
  if (rule === undefined) throw new DockerfileProblem(statement.place, `unknown instruction: ${name}`)
  const { heredocs, place, endLine } = statement
  const restAt = statement.text.length - rest.length
  return placing(statement, () => {
    const flags = shifted(restAt, () => new Flags(rest.trimEnd(), rule.flags ?? {}, escapedBy))
    const given = { name: name.toUpperCase(), flags, rest: flags.rest, heredocs, form: { escapedBy } }
    const read = shifted(restAt + flags.restOffset, () => rule.read(given))
    return { ...read, place, endLine, text: statement.text.trim() }
  })
}

const stageName = /^[a-z][a-z0-9-_.]*$/

function readStage({ text, place }: Statement, escapedBy: EscapeCharacter): Stage {
  const rest = text.replace(/^FROM\s*/i, '').trimEnd()
  const flags = shifted(text.trimEnd().length - rest.length, () => new Flags(rest, { platform: 'text' }, escapedBy))
  const words = flags.rest.split(/\s+/)
  const [base = '', as = '', written = ''] = words
  const isNamed = words.length === 3 && as.toUpperCase() === 'AS'
  if (base === '' || (words.length !== 1 && !isNamed)) throw new Wrong('FROM requires either one or three arguments')
  const name = written.toLowerCase()
  if (isNamed && !stageName.test(name)) {
    throw new Wrong(
      `invalid name for build stage: "${written}", name can't start with a number or contain symbols`,
      text.length - written.length,
    )
  }
  for (const word of [base, flags.text('platform')]) checkWord(word, { escapedBy })
  return { base, name, platform: flags.text('platform'), place, text: text.trim(), instructions: [] }
}

/** What is wrong in a piece is told with its place in the file. */
function placing<T>(statement: Statement, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    const { offset } = error
    throw new DockerfileProblem(offset === undefined ? statement.place : statement.placeAt(offset), error.message)
  }
}

function shifted<T>(by: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Wrong && error.offset !== undefined) throw new Wrong(error.message, error.offset + by)
    throw error
  }
}

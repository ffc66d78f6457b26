// The command that recognizes text, as an operator writes it: one line, or a list of its words. It never meets a shell.
import { isAbsolute } from 'node:path'
import { findProgram, isExecutable } from '@atoll/kernel/programs/find-program'

export type OcrCommand = string | readonly string[]

/** Stands for the path of the PDF. */
const inputMark = '{input}'
const word = /(?:[^\s"']|"[^"]*"|'[^']*')+/g

export const argumentsFor = (command: OcrCommand, input: string): string[] =>
  wordsOf(command).map((each) => each.replaceAll(inputMark, input))

/** What keeps the command from being run on this machine, in words for its operator. */
export function commandProblem(command: OcrCommand): string | undefined {
  const words = wordsOf(command)
  const [program = ''] = words
  if (words.join('').includes('\0') || program === '') return 'names no program'
  if (typeof command === 'string' && /["']/.test(command.replace(word, ''))) return 'has a quote that does not end'
  if (!words.slice(1).some((each) => each.includes(inputMark)))
    return `must have ${inputMark} among its arguments: the path of the PDF is put there`
  if (program.includes('/') && !isAbsolute(program))
    return `names its program by a relative path, ${program}; give the whole one`
  const isThere = isAbsolute(program) ? isExecutable(program) : findProgram(program) !== undefined
  return isThere
    ? undefined
    : `names ${program}, which is no program on this machine; install it, or give its whole path`
}

function wordsOf(command: OcrCommand): string[] {
  if (typeof command !== 'string') return [...command]
  return (command.match(word) ?? []).map((each) => each.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

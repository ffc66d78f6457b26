// .dockerignore: which files of a context are not sent to the builder. The last pattern that fits decides; a pattern
// that fits a folder fits all that is in it; `!` takes a file back in.
import { posix } from 'node:path'
import { invalidParameter } from '../../errors.ts'
import { type PathPattern, readPathPattern } from './path-pattern.ts'
import { Wrong } from './problem.ts'

export class IgnorePatterns {
  readonly #rules: { pattern: PathPattern; isException: boolean }[]

  constructor(patterns: readonly string[]) {
    this.#rules = patterns.map((pattern) => {
      const isException = pattern.startsWith('!')
      const path = isException ? pattern.slice(1) : pattern
      return { pattern: readPathPattern(path, { hasFolders: true }), isException }
    })
  }

  ignores(path: string): boolean {
    const names = path.split('/')
    const folders = names.map((_, at) => names.slice(0, at + 1).join('/')).reverse()
    let isIgnored = false
    for (const { pattern, isException } of this.#rules) {
      // Only a pattern that would change the answer is worth a look.
      if (isException === isIgnored && folders.some((each) => pattern.matches(each))) isIgnored = !isException
    }
    return isIgnored
  }
}

const maxPatterns = 20_000

/** One pattern a line, cleaned like a path; `#` begins a comment only at the very beginning of a line. */
export function readIgnorePatterns(text: string): string[] {
  const patterns: string[] = []
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const trimmed = line.trim()
    if (line.startsWith('#') || trimmed === '') continue
    const isException = trimmed.startsWith('!')
    const path = cleaned((isException ? trimmed.slice(1) : trimmed).trim())
    const where = `.dockerignore, line ${at + 1}`
    if (path === '') throw invalidParameter(`${where}: illegal exclusion pattern: "!"`)
    if (patterns.length === maxPatterns) throw invalidParameter(`${where}: more than ${maxPatterns} patterns`)
    const pattern = isException ? `!${path}` : path
    try {
      new IgnorePatterns([pattern])
    } catch (error) {
      throw error instanceof Wrong ? invalidParameter(`${where}: ${error.message}`) : error
    }
    patterns.push(pattern)
  }
  return patterns
}

export const readIgnoreFile = (text: string): IgnorePatterns => new IgnorePatterns(readIgnorePatterns(text))

function cleaned(path: string): string {
  if (path === '') return ''
  const normal = posix.normalize(path)
  const without = normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
  return without.length > 1 && without.startsWith('/') ? without.slice(1) : without
}

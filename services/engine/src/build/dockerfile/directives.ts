// `# name=value` in the first lines: how the rest is to be read.
import type { Directives } from './dockerfile.ts'
import { DockerfileProblem } from './problem.ts'

const known = ['syntax', 'escape', 'check'] as const
const form = /^#[ \t]*([A-Za-z][A-Za-z0-9]*)[ \t]*=[ \t]*(.*)$/

/** They end with the first line that is none. */
export function readDirectives(lines: readonly string[]): Directives {
  const found = new Map<string, string>()
  const isScript = lines[0]?.startsWith('#!') === true
  for (const [at, line] of lines.entries()) {
    if (at === 0 && isScript) continue
    const [, name = '', written = ''] = form.exec(line) ?? []
    const value = written.trimEnd()
    const key = known.find((each) => each === name.toLowerCase())
    if (key === undefined) break
    const place = { line: at + 1, column: 1 }
    if (found.has(key)) throw new DockerfileProblem(place, `only one ${key} parser directive can be used`)
    if (key === 'escape' && value !== '\\' && value !== '`') {
      throw new DockerfileProblem(place, `invalid escape token '${value}' does not match \` or \\`)
    }
    found.set(key, value)
  }
  const { syntax, check } = Object.fromEntries(found)
  return {
    escapedBy: found.get('escape') === '`' ? '`' : '\\',
    ...(syntax === undefined ? {} : { syntax }),
    ...(check === undefined ? {} : { check }),
  }
}

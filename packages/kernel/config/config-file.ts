// Reads a configuration file, YAML or JSON (which is YAML too), and remembers the line of every key.
import { readFileSync, statSync } from 'node:fs'
import type { ParsedNode } from 'yaml'
import { ConfigError } from './config-error.ts'

export interface ConfigFile {
  values: Record<string, unknown>
  /** Line of each key, by its path: `database.url` → 4. */
  lines: Map<string, number>
}

const maxFileBytes = 1024 * 1024

export async function readConfigFile(path: string): Promise<ConfigFile> {
  const { LineCounter, parseDocument, isMap, isSeq, isScalar } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(readText(path), { lineCounter })
  const [error] = document.errors
  if (error) throw new ConfigError([`${path}:${error.linePos?.[0].line ?? 1}: ${firstLine(error.message)}`])
  const values = asObject(path, () => document.toJS())
  const lines = new Map<string, number>()
  const visit = (node: ParsedNode | null, key: string): void => {
    if (isMap(node)) {
      for (const { key: name, value } of node.items) {
        const inner = join(key, isScalar(name) ? String(name.value) : '?')
        lines.set(inner, lineCounter.linePos(name.range[0]).line)
        visit(value, inner)
      }
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        lines.set(`${key}[${index}]`, lineCounter.linePos(item.range[0]).line)
        visit(item, `${key}[${index}]`)
      }
    }
  }
  visit(document.contents, '')
  return { values, lines }
}

function readText(path: string): string {
  try {
    const { size } = statSync(path)
    if (size > maxFileBytes) throw new ConfigError([`${path}: larger than ${maxFileBytes} bytes`])
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError([`${path}: ${reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'cannot be read'}`])
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'no permission to read it',
  EISDIR: 'is a folder, not a file',
}

function asObject(path: string, parse: () => unknown): Record<string, unknown> {
  let value: unknown
  try {
    value = parse() ?? {}
  } catch {
    // The parser stops aliases that would multiply without end.
    throw new ConfigError([`${path}: too many aliases`])
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError([`${path}: expected settings, one \`name: value\` a line`])
  }
  return value as Record<string, unknown>
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? text).replace(/ at line \d+, column \d+:?$/, '')

const join = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`)

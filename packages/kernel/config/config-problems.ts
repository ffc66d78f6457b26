// Says in words what a schema found wrong: the key, what was expected, what came, and where it came from.
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { z } from 'zod'
import { redact } from '../telemetry/redaction.ts'
import { nearestName } from './nearest-name.ts'
import { metaAt, namesAt, type Path } from './schema-walk.ts'

/** Where a value came from: the words for people, and the folder its relative paths start at. */
export interface Origin {
  where: string
  folder: string
}

type OriginOf = (key: string) => Origin | undefined
type AnyIssue = z.core.$ZodIssue

const maxShownCharacters = 60

export function problemsOf(schema: z.ZodObject, values: unknown, error: z.ZodError, originOf: OriginOf): string[] {
  return error.issues.flatMap((issue) => issueProblems({ schema, values, originOf }, issue, issue.path))
}

interface Context {
  schema: z.ZodObject
  values: unknown
  originOf: OriginOf
}

function issueProblems(context: Context, issue: AnyIssue, path: Path): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownProblem(context, path, name))
  const value = valueAt(context.values, path)
  if (issue.code === 'invalid_union' && isRecord(value)) {
    // Someone who wrote an object meant the branch that is one.
    const branch = issue.errors.find(
      (issues) => !issues.some((inner) => inner.path.length === 0 && inner.code !== 'unrecognized_keys'),
    )
    if (branch) return branch.flatMap((inner) => issueProblems(context, inner, [...path, ...inner.path]))
  }
  return [valueProblem(context, issue, path, value)]
}

function unknownProblem({ schema, originOf }: Context, path: Path, name: string): string {
  const key = keyText([...path, name])
  const known = namesAt(schema, path)
  const nearest = nearestName(name, known)
  const advice = nearest ? `did you mean ${nearest}?` : `there are: ${known.join(', ')}`
  return `${key}: there is no such setting; ${advice}${place(originOf(key))}`
}

function valueProblem({ schema, originOf }: Context, issue: AnyIssue, path: Path, value: unknown): string {
  const key = keyText(path)
  const wanted = expectation(schema, path)
  if (!wanted) return `${key}: ${issue.message}${place(originOf(key))}`
  if (value === undefined) return `${key}: missing; expected ${wanted}${place(originOf(key))}`
  const got = holdsSecret(schema, path) ? 'something else' : shown(value)
  return `${key}: expected ${wanted}, got ${got}${place(originOf(key))}`
}

function expectation(schema: z.ZodType, path: Path): string | undefined {
  const { expects } = metaAt(schema, path)
  if (typeof expects === 'string') return expects
  const names = namesAt(schema, path)
  return names.length > 0 ? `a group of settings (${names.join(', ')})` : undefined
}

/** Also when a secret was put one level too high. */
function holdsSecret(schema: z.ZodType, path: Path): boolean {
  if (metaAt(schema, path).secret) return true
  return namesAt(schema, path).some((name) => holdsSecret(schema, [...path, name]))
}

const place = (origin: Origin | undefined): string => (origin ? ` (${origin.where})` : '')

export function shown(value: unknown): string {
  const text = redact(JSON.stringify(value) ?? String(value))
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text
}

/** `~` and relative paths become absolute ones, from the folder of the file or the one the command was given in. */
export function expandPaths(schema: z.ZodType, values: unknown, originOf: OriginOf, path: Path = []): void {
  if (!isRecord(values)) return
  for (const [name, value] of Object.entries(values)) {
    const here = [...path, name]
    if (typeof value === 'string' && value !== '' && metaAt(schema, here).path) {
      const home = value.replace(/^~(?=\/|$)/, homedir())
      values[name] = resolve(originOf(keyText(here))?.folder ?? '.', home)
    } else expandPaths(schema, value, originOf, here)
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], value)
}

function keyText(path: Path): string {
  return path
    .map((name, index) => (typeof name === 'number' ? `[${name}]` : index === 0 ? name : `.${String(name)}`))
    .join('')
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

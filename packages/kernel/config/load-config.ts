// One configuration from flags over environment over file over defaults; all that is wrong in it, told at once.
import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { expandPaths, type Origin, problemsOf } from './config-problems.ts'
import { nearestName } from './nearest-name.ts'
import { clientVariables, configFileVariable, kernelSettings, type Setting, testVariablePrefix } from './settings.ts'

export interface ConfigSources {
  /** YAML or JSON; beats the one that ATOLL_CONFIG names. */
  file?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** By name without dashes, as typed: `{ port: '9000' }`. */
  flags?: Readonly<Record<string, string | undefined>>
  /** More settings that may come from the environment: a service's own. */
  settings?: readonly Setting[]
}

export async function loadConfig<Schema extends z.ZodObject>(
  schema: Schema,
  sources: ConfigSources,
): Promise<z.output<Schema>> {
  const settings = [...kernelSettings, ...(sources.settings ?? [])]
  const problems = unknownVariables(sources.env, settings)
  const path = sources.file ?? sources.env[configFileVariable]
  const file = path === undefined ? undefined : await readOr(problems, path)
  const values = structuredClone(file?.values ?? {})
  const given = new Map<string, Origin>()
  for (const { key, text, read, where } of spoken(sources, settings)) {
    if (put(values, key.split('.'), read(text))) given.set(key, { where, folder: process.cwd() })
    else problems.push(`${key}: cannot be set by ${where}, the file has something else in its place`)
  }
  const originOf = (key: string) => nearestOrigin(key, given) ?? originInFile(key, file, path)
  expandPaths(schema, values, originOf)
  // It is done once: to compile the schema first would take longer.
  const parsed = schema.safeParse(values, { jitless: true })
  if (!parsed.success) problems.push(...problemsOf(schema, values, parsed.error, originOf))
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems)
  origins.set(parsed.data, originOf)
  return parsed.data
}

const origins = new WeakMap<object, (key: string) => Origin | undefined>()

/** A variable, a flag, or a line of the file. Undefined: the setting has its default. */
export const whereFrom = (config: object, key: string): string | undefined => origins.get(config)?.(key)?.where

async function readOr(problems: string[], path: string): Promise<ConfigFile | undefined> {
  try {
    return await readConfigFile(path)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

/** Environment first, then flags, which win. An empty variable counts as not set. */
function* spoken({ env, flags = {} }: ConfigSources, settings: readonly Setting[]) {
  for (const { key, variable, read } of settings) {
    const text = env[variable]
    if (text) yield { key, text, read, where: variable }
  }
  for (const { key, flag, read } of settings) {
    const text = flag === undefined ? undefined : flags[flag]
    if (text !== undefined) yield { key, text, read, where: `--${flag}` }
  }
}

function unknownVariables(env: ConfigSources['env'], settings: readonly Setting[]): string[] {
  const known = [configFileVariable, ...clientVariables, ...settings.map((setting) => setting.variable)]
  const strange = Object.keys(env).filter(
    (name) => name.startsWith('ATOLL_') && !name.startsWith(testVariablePrefix) && !known.includes(name),
  )
  return strange.map((name) => {
    const nearest = nearestName(name, known)
    return `${name}: there is no such variable${nearest ? `; did you mean ${nearest}?` : ''}`
  })
}

/** False when a value that is no object stands in the way. */
function put(values: Record<string, unknown>, [name = '', ...deeper]: string[], value: unknown): boolean {
  if (deeper.length === 0) {
    values[name] = value
    return true
  }
  values[name] ??= {}
  const inner = values[name]
  if (typeof inner !== 'object' || Array.isArray(inner)) return false
  return put(inner as Record<string, unknown>, deeper, value)
}

/** A variable that sets `tls` is also where `tls.key` came from. */
function nearestOrigin(key: string, given: ReadonlyMap<string, Origin>): Origin | undefined {
  for (const [setting, origin] of given) {
    if (key === setting || key.startsWith(`${setting}.`) || key.startsWith(`${setting}[`)) return origin
  }
  return undefined
}

function originInFile(key: string, file: ConfigFile | undefined, path = ''): Origin | undefined {
  if (!file) return undefined
  let at = key
  while (at !== '' && !file.lines.has(at)) at = at.replace(/(?:\.[^.[]*|\[\d+\]|^[^.[]+)$/, '')
  const line = file.lines.get(at)
  return line === undefined ? undefined : { where: `${path}:${line}`, folder: dirname(resolve(path)) }
}

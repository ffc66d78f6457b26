// Instructions that change an image's configuration (`CMD ["sh"]`, `ENV a=b`): those that import and commit take.
import { invalidParameter } from '../errors.ts'
import type { ImageConfig } from './images.ts'
import { expandWord, splitWords, type Variables } from './words.ts'

type Config = NonNullable<ImageConfig['config']>
/** Variables of the configuration may stand in most instructions; commands are left to the shell. */
type Instruction = (config: Config, rest: string, variables: Variables) => Config

const nanoseconds: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 }

export function applyChanges(config: Config, changes: readonly string[]): Config {
  const lines = changes.flatMap((change) => change.split('\n')).filter((line) => line.trim() !== '')
  return lines.reduce((current, line) => applyChange(current, line.trim()), config)
}

function applyChange(config: Config, line: string): Config {
  const [word = '', rest = ''] = splitFirst(line)
  const instruction = instructions[word.toLowerCase()]
  if (instruction === undefined) throw invalidParameter(`${word} is not a valid change command`)
  if (rest === '') throw invalidParameter(`${word.toUpperCase()} requires at least one argument`)
  return instruction(config, rest, variablesOf(config))
}

const instructions: Record<string, Instruction> = {
  cmd: (config, rest) => ({ ...config, Cmd: command(rest) }),
  entrypoint: (config, rest) => ({ ...config, Entrypoint: command(rest) }),
  env: (config, rest, known) => ({ ...config, Env: withVariables(config.Env ?? [], pairs('ENV', rest, known)) }),
  label: (config, rest, known) => ({
    ...config,
    Labels: { ...config.Labels, ...Object.fromEntries(pairs('LABEL', rest, known)) },
  }),
  expose: (config, rest, known) => ({ ...config, ExposedPorts: { ...config.ExposedPorts, ...ports(rest, known) } }),
  volume: (config, rest, known) => ({ ...config, Volumes: { ...config.Volumes, ...emptyObjects(list(rest, known)) } }),
  user: (config, rest, known) => ({ ...config, User: expandWord(rest, known) }),
  workdir: (config, rest, known) => ({
    ...config,
    WorkingDir: workingFolder(config.WorkingDir, expandWord(rest, known)),
  }),
  stopsignal: (config, rest, known) => ({ ...config, StopSignal: expandWord(rest, known) }),
  onbuild: (config, rest) => ({ ...config, OnBuild: [...(config.OnBuild ?? []), rest] }),
  healthcheck: (config, rest) => ({ ...config, Healthcheck: healthcheck(rest) }),
  shell: (config, rest) => ({ ...config, Shell: jsonList(rest) ?? refuseShell() }),
}

function splitFirst(text: string): [string, string] {
  const at = text.search(/\s/)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at).trim()]
}

function jsonList(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
  } catch {
    return undefined
  }
}

const command = (text: string): string[] => jsonList(text) ?? ['/bin/sh', '-c', text]
const list = (text: string, known: Variables): string[] =>
  jsonList(text)?.map((word) => expandWord(word, known)) ?? splitWords(text, known)
const emptyObjects = (names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, {}]))

function refuseShell(): never {
  throw invalidParameter('SHELL requires the arguments to be in JSON form')
}

/** `a=b c=d`, or the old `a b`. */
function pairs(name: string, text: string, known: Variables): [string, string][] {
  const words = splitWords(text, known)
  if (!(words[0] ?? '').includes('=')) {
    const [key, value] = splitFirst(text)
    if (value === '') throw invalidParameter(`${name} must have two arguments`)
    return [[expandWord(key, known), expandWord(value, known)]]
  }
  return words.map((word) => {
    const at = word.indexOf('=')
    if (at <= 0) throw invalidParameter(`Syntax error - can't find = in "${word}". Must be of the form: name=value`)
    return [word.slice(0, at), word.slice(at + 1)]
  })
}

const variablesOf =
  ({ Env }: Config): Variables =>
  (name) =>
    Env?.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1)

function withVariables(variables: readonly string[], added: readonly [string, string][]): string[] {
  const names = new Set(added.map(([name]) => name))
  const kept = variables.filter((variable) => !names.has(variable.split('=', 1)[0] ?? ''))
  return [...kept, ...added.map(([name, value]) => `${name}=${value}`)]
}

function ports(text: string, known: Variables): Record<string, object> {
  const named = splitWords(text, known).flatMap((word) => {
    const found = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(tcp|udp|sctp))?$/i.exec(word)
    const first = Number(found?.[1])
    const last = Number(found?.[2] ?? found?.[1])
    if (found === null || first < 1 || last > 65_535 || last < first) {
      throw invalidParameter(`invalid containerPort: ${word}`)
    }
    const protocol = (found[3] ?? 'tcp').toLowerCase()
    return Array.from({ length: last - first + 1 }, (_, at) => `${first + at}/${protocol}`)
  })
  return emptyObjects(named)
}

const workingFolder = (before: string | undefined, path: string): string =>
  path.startsWith('/') ? path : `${(before || '/').replace(/\/$/, '')}/${path}`

function healthcheck(text: string): NonNullable<Config['Healthcheck']> {
  let rest = text
  const check: NonNullable<Config['Healthcheck']> = {}
  for (let option = /^--([a-z-]+)=(\S+)\s*/.exec(rest); option !== null; option = /^--([a-z-]+)=(\S+)\s*/.exec(rest)) {
    const [whole, name = '', value = ''] = option
    rest = rest.slice(whole.length)
    if (name === 'interval') check.Interval = duration(value)
    else if (name === 'timeout') check.Timeout = duration(value)
    else if (name === 'start-period') check.StartPeriod = duration(value)
    else if (name === 'start-interval') check.StartInterval = duration(value)
    else if (name === 'retries') check.Retries = Number(value)
    else throw invalidParameter(`Unknown flag: ${name}`)
  }
  const [kind, what] = splitFirst(rest)
  if (kind.toUpperCase() === 'NONE') return { Test: ['NONE'] }
  if (kind.toUpperCase() !== 'CMD' || what === '') {
    throw invalidParameter(`Unknown type "${kind}" in HEALTHCHECK (try CMD)`)
  }
  const words = jsonList(what)
  return { ...check, Test: words === undefined ? ['CMD-SHELL', what] : ['CMD', ...words] }
}

function duration(text: string): number {
  const parts = [...text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw invalidParameter(`time: invalid duration "${text}"`)
  }
  return parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (nanoseconds[unit] ?? 0), 0)
}

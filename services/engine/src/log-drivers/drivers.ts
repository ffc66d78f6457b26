// The log drivers that every engine has. What `GET /info` lists is this table, and plugins (ENG-053).
import { fluentd } from './fluentd/driver.ts'
import { gelf } from './gelf/driver.ts'
import { journald } from './journald/driver.ts'
import type { LogDriver } from './log-driver.ts'
import {
  anyText,
  flag,
  isOn,
  type LogOptions,
  type OptionCheck,
  pattern,
  readCount,
  readSize,
  size,
} from './log-options.ts'
import { syslog } from './syslog/driver.ts'

/** What is named by these goes with each line, or before it where `details` are asked for. */
const attributeOptions = {
  labels: anyText,
  'labels-regex': pattern,
  env: anyText,
  'env-regex': pattern,
  tag: anyText,
}

const mode: OptionCheck = (_, value) =>
  ['blocking', 'non-blocking'].includes(value) ? undefined : `logger: logging mode not supported: ${value}`

/** ENG-164 to ENG-166 */
const commonOptions = { mode, 'max-buffer-size': size }

const maxSize: OptionCheck = (name, value) =>
  value === '-1' || Number(readSize(value)) > 0 ? undefined : `invalid value for ${name}: '${value}'`
const maxFile: OptionCheck = (name, value) =>
  /^[1-9]\d{0,3}$/.test(value) ? undefined : `${name} cannot be less than 1: '${value}'`

const file: LogDriver = {
  options: { 'max-size': maxSize, 'max-file': maxFile, compress: flag, ...attributeOptions },
  conflicts: (options) =>
    isOn(options.compress) && readCount(options['max-file'] ?? '') === 1
      ? ['compress cannot be true when max-file is less than 2 or max-size is not set']
      : [],
}

/** Of the file beside what is sent elsewhere. */
const cacheOptions = {
  'cache-disabled': flag,
  'cache-max-size': maxSize,
  'cache-max-file': maxFile,
  'cache-compress': flag,
}

const forwarding = (driver: LogDriver): LogDriver => ({
  ...driver,
  options: { ...driver.options, ...attributeOptions, ...cacheOptions },
})

const drivers: Readonly<Record<string, LogDriver>> = {
  fluentd: forwarding(fluentd),
  gelf: forwarding(gelf),
  journald: forwarding(journald),
  'json-file': file,
  local: file,
  none: { options: {} },
  syslog: forwarding(syslog),
}

const defaultDriver = 'json-file'

/** Those that work on this machine. */
export const logDriverNames = (): string[] =>
  Object.entries(drivers).flatMap(([name, { isHere }]) => (isHere === undefined || isHere() ? [name] : []))

interface LogChoice {
  Type?: string | undefined
  Config?: Record<string, string> | undefined
}

export const driverOf = (choice: LogChoice | undefined): LogDriver | undefined =>
  Object.hasOwn(drivers, choice?.Type || defaultDriver) ? drivers[choice?.Type || defaultDriver] : undefined

/** All that is wrong with what was asked for. A plugin of that name knows its options itself. */
export function logProblems(
  choice: LogChoice | undefined,
  isPlugin: (name: string) => boolean = () => false,
): string[] {
  const name = choice?.Type || defaultDriver
  const driver = driverOf(choice)
  const takesAny = driver === undefined && isPlugin(name)
  if (driver === undefined && !takesAny) return [`logger: no log driver named '${name}' is registered`]
  const options: LogOptions = choice?.Config ?? {}
  const known: Record<string, OptionCheck> = { ...driver?.options, ...commonOptions }
  const problems = Object.entries(options).flatMap(([option, value]) => {
    const check = Object.hasOwn(known, option) ? known[option] : takesAny ? anyText : undefined
    return check === undefined ? [`unknown log opt '${option}' for ${name} log driver`] : (check(option, value) ?? [])
  })
  const isUnused = options['max-buffer-size'] !== undefined && options.mode !== 'non-blocking'
  if (isUnused) problems.push("logger: max-buffer-size option is only supported with 'mode=non-blocking'")
  return problems.length > 0 ? problems : (driver?.conflicts?.(options) ?? [])
}

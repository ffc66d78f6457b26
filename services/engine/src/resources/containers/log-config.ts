// Log drivers and their options: what may be asked for, and what the shim is told.
import { join } from 'node:path'
import type { LogSettings } from '../../runtime/runtime.ts'
import type { HostConfig } from './schema.ts'

type LogConfig = HostConfig['LogConfig']

const drivers = ['json-file', 'local', 'none']
const fileOptions = ['max-size', 'max-file', 'compress', 'labels', 'labels-regex', 'env', 'env-regex', 'tag']
/** ENG-164 to ENG-166 */
const commonOptions = ['mode', 'max-buffer-size']

/** Logs never grow without end, also when nobody asked for a limit. */
const defaultMaxBytes = 20 * 1024 * 1024
const defaultMaxFiles = 5

const units: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 }

/** `10m`, `1.5g`, `512kb`; undefined when it is no size. */
export function readSize(text: string): number | undefined {
  const found = /^(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]?)(?:i?b)?$/i.exec(text)
  if (found === null) return undefined
  return Math.floor(Number(found[1]) * (units[(found[2] ?? '').toLowerCase()] ?? 1))
}

export function logProblems(config: LogConfig): string[] {
  const driver = config?.Type || 'json-file'
  if (!drivers.includes(driver)) return [`logger: no log driver named '${driver}' is registered`]
  const known = driver === 'none' ? commonOptions : [...fileOptions, ...commonOptions]
  return Object.entries(config?.Config ?? {}).flatMap(([name, value]) => {
    if (!known.includes(name)) return [`unknown log opt '${name}' for ${driver} log driver`]
    return optionProblem(name, value) ?? []
  })
}

function optionProblem(name: string, value: string): string | undefined {
  if (name === 'max-size' && value !== '-1' && !(Number(readSize(value)) > 0)) {
    return `invalid value for max-size: '${value}'`
  }
  if (name === 'max-buffer-size' && readSize(value) === undefined)
    return `invalid value for max-buffer-size: '${value}'`
  if (name === 'max-file' && !/^[1-9]\d{0,3}$/.test(value)) return `max-file cannot be less than 1: '${value}'`
  if (name === 'compress' && !/^(true|false|0|1)$/.test(value)) return `invalid value for compress: '${value}'`
  if (name === 'mode' && !['blocking', 'non-blocking'].includes(value)) {
    return `logger: logging mode not supported: ${value}`
  }
  return undefined
}

export function logWarnings(config: LogConfig): string[] {
  const { compress = '', mode, 'max-buffer-size': buffer } = config?.Config ?? {}
  return [
    ...(/^(true|1)$/.test(compress) ? ['Log files are kept as they are: the log option compress has no effect.'] : []),
    ...(mode === 'non-blocking' || buffer !== undefined
      ? ['Logs are local files that nobody has to wait for: the log options mode and max-buffer-size have no effect.']
      : []),
  ]
}

export function logSettings(config: LogConfig, folder: string): LogSettings {
  const options = config?.Config ?? {}
  const settings = {
    maxBytes: (options['max-size'] ? readSize(options['max-size']) : undefined) ?? defaultMaxBytes,
    maxFiles: Number(options['max-file'] ?? defaultMaxFiles),
  }
  return config?.Type === 'none' ? settings : { path: logPath(folder), ...settings }
}

export const logPath = (folder: string): string => join(folder, 'log.json')

// What the shim is told about the log of a container.
import { join } from 'node:path'
import { driverOf } from '../../log-drivers/drivers.ts'
import { isOn, type LogOptions, readFlag, readSize } from '../../log-drivers/log-options.ts'
import type { LogSettings } from '../../runtime/runtime.ts'
import type { HostConfig } from './schema.ts'

type LogConfig = HostConfig['LogConfig']

/** Logs never grow without end, also when nobody asked for a limit. */
const defaultMaxBytes = 20 * 1024 * 1024
const defaultMaxFiles = 5
/** Of `mode=non-blocking`. */
const defaultBufferBytes = 1024 * 1024
/** What has yet to be sent elsewhere must outlive a rotation. */
const minForwardedFiles = 2

export function logSettings(config: LogConfig, folder: string): LogSettings {
  const options = config?.Config ?? {}
  const driver = driverOf(config)
  // What is not in the table is a plugin.
  const isForwarded = driver === undefined || driver.forward !== undefined
  const settings = {
    ...fileSettings(options, isForwarded ? 'cache-' : '', config?.Type === 'local' || isForwarded),
    ...(options.mode === 'non-blocking'
      ? { bufferBytes: readSize(options['max-buffer-size'] ?? '') || defaultBufferBytes }
      : {}),
  }
  if (isForwarded) settings.maxFiles = Math.max(minForwardedFiles, settings.maxFiles)
  return config?.Type === 'none' ? settings : { path: logPath(folder), ...settings }
}

function fileSettings(options: LogOptions, prefix: string, compressesUnlessTold: boolean) {
  const maxFiles = Number(options[`${prefix}max-file`] ?? defaultMaxFiles)
  const compress = readFlag(options[`${prefix}compress`] ?? '') ?? compressesUnlessTold
  return {
    maxBytes: readSize(options[`${prefix}max-size`] ?? '') ?? defaultMaxBytes,
    maxFiles,
    compress: compress && maxFiles > 1,
  }
}

export const logPath = (folder: string): string => join(folder, 'log.json')

/** False: its driver keeps none, or nobody is to read what it keeps. */
export const isLogReadable = (config: LogConfig): boolean =>
  config?.Type !== 'none' && !isOn(config?.Config?.['cache-disabled'])

// The log driver `fluentd`: lines go to a receiver of the Forward protocol (fluentd, fluent-bit).
import { type Address, readAddress } from '../address.ts'
import type { LogDriver } from '../log-driver.ts'
import {
  count,
  duration,
  flag,
  isOn,
  type LogOptions,
  type OptionCheck,
  readCount,
  readDuration,
  readSize,
  size,
} from '../log-options.ts'
import { FluentdSink } from './sink.ts'

const defaults = { host: '127.0.0.1', port: 24_224 }
const defaultRetryWaitMs = 500
const defaultDeadlineMs = 30_000
/** Lines that wait for their delivery: they are in the log file anyway, so that few are enough. */
const maxLinesInMemory = 10_000
const reconnectRangeMs = { min: 100, max: 10_000 }

const parseAddress = (text: string): Address | string => readAddress(text, { protocols: ['tcp', 'unix'], ...defaults })

const address: OptionCheck = (name, value) => {
  const read = parseAddress(value)
  return typeof read === 'string' ? `invalid ${name} (${value}): ${read}` : undefined
}

const reconnectInterval: OptionCheck = (name, value) => {
  const interval = readDuration(value)
  if (interval === 0) return undefined
  const isFine = interval !== undefined && interval >= reconnectRangeMs.min && interval <= reconnectRangeMs.max
  return isFine ? undefined : `invalid value for ${name}: '${value}', expected between 100ms and 10s`
}

export const fluentd: LogDriver = {
  options: {
    'fluentd-address': address,
    'fluentd-async': flag, // ENG-136
    'fluentd-async-connect': flag, // ENG-137
    'fluentd-async-reconnect-interval': reconnectInterval,
    'fluentd-buffer-limit': size,
    'fluentd-max-retries': count,
    'fluentd-read-timeout': duration,
    'fluentd-request-ack': flag, // ENG-138
    'fluentd-retry-wait': duration,
    'fluentd-sub-second-precision': flag,
    'fluentd-write-timeout': duration,
  },
  conflicts: (options) =>
    options['fluentd-async'] !== undefined && options['fluentd-async-connect'] !== undefined
      ? ["conflicting options: cannot specify both 'fluentd-async' and 'fluentd-async-connect'"]
      : [],
  forward: (options, container) => ({
    sink: new FluentdSink(sinkSettings(options), container),
    isAsync: isOn(options['fluentd-async'] ?? options['fluentd-async-connect']),
    retry: {
      waitMs: readDuration(options['fluentd-retry-wait'] ?? '') ?? defaultRetryWaitMs,
      maxRetries: readCount(options['fluentd-max-retries'] ?? '') ?? Number.POSITIVE_INFINITY,
    },
    maxLines: Math.max(
      1,
      Math.min(maxLinesInMemory, readSize(options['fluentd-buffer-limit'] ?? '') ?? maxLinesInMemory),
    ),
  }),
}

function sinkSettings(options: LogOptions) {
  const read = parseAddress(options['fluentd-address'] ?? '')
  const deadline = (name: string): number => readDuration(options[name] ?? '') || defaultDeadlineMs
  return {
    // Checked when the container was made; the default is an address in any case.
    address: typeof read === 'string' ? ({ protocol: 'tcp', ...defaults } as const) : read,
    requestAck: isOn(options['fluentd-request-ack']),
    subSecondPrecision: isOn(options['fluentd-sub-second-precision']),
    writeTimeoutMs: deadline('fluentd-write-timeout'),
    readTimeoutMs: deadline('fluentd-read-timeout'),
    reconnectMs: readDuration(options['fluentd-async-reconnect-interval'] ?? '') || Number.POSITIVE_INFINITY,
  }
}

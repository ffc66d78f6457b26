// The log driver `gelf`: lines go to a server that takes the Graylog Extended Log Format (Graylog, Logstash).
import { constants } from 'node:zlib'
import { type Address, readAddress } from '../address.ts'
import type { LogDriver } from '../log-driver.ts'
import { type LogOptions, type OptionCheck, readCount } from '../log-options.ts'
import { type Compression, GelfSink } from './sink.ts'

const defaultWaitSeconds = 1
const maxLinesInMemory = 1_000

function parseAddress(text: string): Address | string {
  if (!/^(udp|tcp):\/\//.test(text)) return 'gelf: endpoint needs to be TCP or UDP'
  if (!/:\d+$/.test(text)) return 'gelf: please provide gelf-address as proto://host:port'
  const read = readAddress(text, { protocols: ['udp', 'tcp'], host: 'localhost', port: 0 })
  return typeof read === 'string' ? `gelf: ${read}` : read
}

const address: OptionCheck = (_, value) => {
  const read = parseAddress(value)
  return typeof read === 'string' ? read : undefined
}

const known =
  (isKnown: (value: string) => boolean): OptionCheck =>
  (name, value) =>
    isKnown(value) ? undefined : `unknown value "${value}" for log opt "${name}" for gelf log driver`

const positive: OptionCheck = (name, value) =>
  readCount(value) === undefined ? `"${name}" must be a positive integer` : undefined

const onlyUdp = ['gelf-compression-type', 'gelf-compression-level']
const onlyTcp = ['gelf-tcp-max-reconnect', 'gelf-tcp-reconnect-delay']

function conflicts(options: LogOptions): string[] {
  const read = parseAddress(options['gelf-address'] ?? '')
  if (options['gelf-address'] === undefined || typeof read === 'string') {
    return ['gelf-address is a required parameter']
  }
  const has = (name: string): boolean => options[name] !== undefined
  if (read.protocol === 'tcp') return onlyUdp.some(has) ? ['compression is only supported on UDP'] : []
  return onlyTcp.filter(has).map((name) => `"${name}" is only valid for TCP`)
}

export const gelf: LogDriver = {
  options: {
    'gelf-address': address,
    'gelf-compression-level': known((value) => /^(-1|\d)$/.test(value)),
    'gelf-compression-type': known((value) => ['gzip', 'zlib', 'none'].includes(value)),
    'gelf-tcp-max-reconnect': positive,
    'gelf-tcp-reconnect-delay': positive,
  },
  conflicts,
  forward: (options, container) => {
    const read = parseAddress(options['gelf-address'] ?? '')
    // Checked when the container was made.
    if (typeof read === 'string') throw new Error(read)
    const settings = {
      address: read,
      compression: (options['gelf-compression-type'] ?? 'gzip') as Compression,
      level: Number(options['gelf-compression-level'] ?? constants.Z_BEST_SPEED),
    }
    return {
      sink: new GelfSink(settings, container),
      isAsync: false,
      retry: {
        waitMs: Math.max(1, readCount(options['gelf-tcp-reconnect-delay'] ?? '') ?? defaultWaitSeconds) * 1_000,
        maxRetries: readCount(options['gelf-tcp-max-reconnect'] ?? '') ?? Number.POSITIVE_INFINITY,
      },
      maxLines: maxLinesInMemory,
    }
  },
}

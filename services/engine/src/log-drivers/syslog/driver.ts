// The log driver `syslog`: lines go to a syslog server. Encrypted connections are not offered.
import { type Address, readAddress } from '../address.ts'
import type { LogDriver } from '../log-driver.ts'
import { type OptionCheck, oneOf } from '../log-options.ts'
import { facilities, type SyslogFormat, syslogFormats } from './message.ts'
import { SyslogSink } from './sink.ts'

const defaultPort = 514
const defaultFacility = 'daemon'
const retryWaitMs = 500
const maxLinesInMemory = 10_000

/** Without a scheme it would be a file of this machine's own syslog, which only takes datagrams. */
const parseAddress = (text: string): Address | string =>
  text.includes('://')
    ? readAddress(text, { protocols: ['udp', 'tcp', 'unix'], host: 'localhost', port: defaultPort })
    : 'expected an address like udp://host:514, tcp://host:514 or unix:///path'

const address: OptionCheck = (name, value) => {
  const read = parseAddress(value)
  return typeof read === 'string' ? `invalid ${name} (${value}): ${read}` : undefined
}

const maxFacility = 23
const facility: OptionCheck = (name, value) =>
  facilityNumber(value) === undefined ? `invalid value for ${name}: '${value}'` : undefined

function facilityNumber(value: string): number | undefined {
  const named = facilities.indexOf(value)
  if (named >= 0) return named
  return /^\d{1,2}$/.test(value) && Number(value) <= maxFacility ? Number(value) : undefined
}

export const syslog: LogDriver = {
  options: {
    'syslog-address': address,
    'syslog-facility': facility,
    'syslog-format': oneOf(...syslogFormats.filter((format) => format !== 'unix')),
  },
  conflicts: (options) =>
    options['syslog-address'] === undefined
      ? ['syslog-address is required: udp://host:514, tcp://host:514 or unix:///path']
      : [],
  forward: (options, container) => {
    const read = parseAddress(options['syslog-address'] ?? '')
    const settings = {
      address: typeof read === 'string' ? ({ protocol: 'udp', host: 'localhost', port: defaultPort } as const) : read,
      facility: facilityNumber(options['syslog-facility'] ?? defaultFacility) ?? facilities.indexOf(defaultFacility),
      format: (options['syslog-format'] ?? 'unix') as SyslogFormat,
    }
    return {
      sink: new SyslogSink(settings, container),
      isAsync: false,
      retry: { waitMs: retryWaitMs, maxRetries: Number.POSITIVE_INFINITY },
      maxLines: maxLinesInMemory,
    }
  },
}

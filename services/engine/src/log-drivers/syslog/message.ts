// One line as a syslog message, in the forms that servers read.
import type { LogLine } from '../log-driver.ts'

/** By their numbers. */
export const facilities = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp'],
  ...['ntp', 'audit', 'alert', 'clock'],
  ...['local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'],
]

/** `unix` is what is sent unless told: RFC 3164 without a host name. */
export const syslogFormats = ['unix', 'rfc3164', 'rfc5424', 'rfc5424micro'] as const
export type SyslogFormat = (typeof syslogFormats)[number]

interface SyslogSource {
  facility: number
  format: SyslogFormat
  hostname: string
  tag: string
  processId: number
}

const severities = { stdout: 6, stderr: 3 }
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `2026-11-05T22:01:13.123456789Z` as `Nov  5 22:01:13`. */
const shortTime = (time: string): string =>
  `${months[Number(time.slice(5, 7)) - 1] ?? months[0]} ${String(Number(time.slice(8, 10))).padStart(2)} ${time.slice(11, 19)}`

/** RFC 5424 has no spaces and nothing but ASCII in its header. */
const headerWord = (text: string, maxLetters: number): string =>
  text.replace(/[^\x21-\x7e]/g, '_').slice(0, maxLetters) || '-'

export function syslogMessage({ log, stream, time }: LogLine, source: SyslogSource): string {
  const { facility, format, hostname, tag, processId } = source
  const priority = `<${facility * 8 + severities[stream]}>`
  // A line end inside would be a message of its own.
  const text = log.replaceAll('\n', ' ')
  if (format === 'unix') return `${priority}${shortTime(time)} ${tag}[${processId}]: ${text}\n`
  if (format === 'rfc3164') return `${priority}${shortTime(time)} ${hostname} ${tag}[${processId}]: ${text}\n`
  const fraction = format === 'rfc5424micro' ? `.${time.slice(20, 26)}` : ''
  const moment = `${time.slice(0, 19)}${fraction}Z`
  const [host, name, message] = [headerWord(hostname, 255), headerWord(tag, 48), headerWord(tag, 32)]
  return `${priority}1 ${moment} ${host} ${name} ${processId} ${message} - ${text}\n`
}

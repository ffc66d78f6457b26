// The formats of JSON Schema as patterns. Each allows no text that the format forbids; some allow less (bounded
// lengths, no quoted local parts), so that an answer stays a reasonable one.

const day = '(0[1-9]|1[0-9]|2[0-8])'
const leapYear = '(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)'
const date = `(\\d{4}-((0[1-9]|1[0-2])-${day}|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)|${leapYear}-02-29)`
const hourMinute = '([01]\\d|2[0-3]):[0-5]\\d'
const time = `${hourMinute}:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]${hourMinute})`

const some = '\\d{1,9}'
const dateSpan = `(${some}Y(${some}M)?(${some}D)?|${some}M(${some}D)?|${some}D)`
const timeSpan = `T(${some}H(${some}M)?(${some}S)?|${some}M(${some}S)?|${some}S)`

const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4 = `${octet}(\\.${octet}){3}`
const group = '[0-9a-fA-F]{1,4}'
const shortened = Array.from({ length: 6 }, (_, index) => `(${group}:){1,${6 - index}}(:${group}){1,${index + 1}}`)
const ipv6 = [`(${group}:){7}${group}`, `(${group}:){1,7}:`, ...shortened, `:((:${group}){1,7}|:)`].join('|')

// A whole host name has at most 253 characters, a label at most 63. In addresses no one counts them.
const shortLabel = '[a-zA-Z0-9]([a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?'
const label = '[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?'
const mailName = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
const hex = '[0-9a-fA-F]'
const uriChar = `([a-zA-Z0-9._~!$&'()*+,;=:@-]|%${hex}{2})`

export const formatPatterns: Record<string, string> = {
  date: `^${date}$`,
  time: `^${time}$`,
  'date-time': `^${date}[Tt]${time}$`,
  duration: `^P(${some}W|${dateSpan}(${timeSpan})?|${timeSpan})$`,
  uuid: `^${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}$`,
  email: `^${mailName}(\\.${mailName})*@(${label}\\.)+${label}$`,
  hostname: `^${shortLabel}(\\.${shortLabel}){0,6}$`,
  ipv4: `^${ipv4}$`,
  ipv6: `^(${ipv6})$`,
  uri: `^[a-zA-Z][a-zA-Z0-9+.-]{0,20}://${label}(\\.${label})*(:\\d{1,5})?(/${uriChar}*)*(\\?(${uriChar}|[/?])*)?(#(${uriChar}|[/?])*)?$`,
  'json-pointer': '^(/([^~/]|~[01])*)*$',
}

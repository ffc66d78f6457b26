// Values of log options, as people write them.

export type LogOptions = Readonly<Record<string, string>>

const units: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 }

/** `10m`, `1.5g`, `512kb`; undefined when it is no size. */
export function readSize(text: string): number | undefined {
  const found = /^(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]?)(?:i?b)?$/i.exec(text)
  if (found === null) return undefined
  return Math.floor(Number(found[1]) * (units[(found[2] ?? '').toLowerCase()] ?? 1))
}

const yes = ['1', 't', 'T', 'TRUE', 'true', 'True']
const no = ['0', 'f', 'F', 'FALSE', 'false', 'False']

/** Undefined when it is neither. */
export function readFlag(text: string): boolean | undefined {
  return yes.includes(text) ? true : no.includes(text) ? false : undefined
}

export const isOn = (text: string | undefined): boolean => text !== undefined && readFlag(text) === true

const milliseconds: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g

/** `500ms`, `1m30s`, in milliseconds; undefined when it is no length of time. */
export function readDuration(text: string): number | undefined {
  if (text === '0') return 0
  const parts = [...text.matchAll(durationPart)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return undefined
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (milliseconds[unit ?? ''] ?? 0), 0)
}

export const readCount = (text: string): number | undefined => (/^\d{1,10}$/.test(text) ? Number(text) : undefined)

/** Says what is wrong with a value. */
export type OptionCheck = (name: string, value: string) => string | undefined

const refusing =
  (isFine: (value: string) => boolean): OptionCheck =>
  (name, value) =>
    isFine(value) ? undefined : `invalid value for ${name}: '${value}'`

export const anyText: OptionCheck = () => undefined
export const flag = refusing((value) => readFlag(value) !== undefined)
export const size = refusing((value) => readSize(value) !== undefined)
export const duration = refusing((value) => readDuration(value) !== undefined)
export const count = refusing((value) => readCount(value) !== undefined)
export const pattern = refusing((value) => {
  try {
    new RegExp(value)
    return true
  } catch {
    return false
  }
})

export const oneOf =
  (...allowed: string[]): OptionCheck =>
  (name, value) =>
    allowed.includes(value) ? undefined : `invalid value for ${name}: '${value}', expected one of ${allowed.join(', ')}`

// A log line as a person at a terminal wants it: time of day, level, message, fields.
const colours: Record<string, string> = { debug: '2', info: '32', warn: '33', error: '31' }

export function humanLine(json: string): string {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(json)
  } catch {
    return json
  }
  const { time, level, message, ...fields } = entry
  const words = [
    String(time).slice(11, 19),
    `\u001b[${colours[String(level)] ?? '0'}m${String(level).padEnd(5)}\u001b[0m`,
    printable(String(message ?? '')),
    ...Object.entries(fields).map(([name, value]) => `\u001b[2m${name}=\u001b[0m${shown(value)}`),
  ]
  return `${words.join(' ')}\n`
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /^[!-~]+$/.test(value) ? value : JSON.stringify(value)
  if (isError(value)) return `\n${printable(value.stack)}`
  return JSON.stringify(value)
}

function isError(value: unknown): value is { stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string'
}

/** What a caller sent must not move the cursor or change the title of someone's terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\ufffd')
}

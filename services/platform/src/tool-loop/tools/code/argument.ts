// The code a model wants to run: `{"code": "…"}`, or what models write instead.
const names = ['code', 'input', 'python', 'source', 'script', 'cmd']
const fenced = /^\s*(?:```|~~~)[\w+-]*[^\S\n]*\n([\s\S]*?)\n?(?:```|~~~)\s*$/
// JSON with bare line ends inside its text, or cut off before its end.
const brokenJson = /^\s*\{\s*"(?:code|input|python|source|script|cmd)"\s*:\s*"([\s\S]*)$/

export function codeOf(args: string): string {
  const code = fromJson(args) ?? fromBrokenJson(args) ?? args
  const inner = fenced.exec(code)?.[1] ?? code
  return inner.replace(/\r\n/g, '\n').trimEnd()
}

/** Undefined: this is no JSON. */
function fromJson(args: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(args)
  } catch {
    return undefined
  }
  if (typeof value === 'string') return value
  // A number or a list is JSON, and Python too.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return args
  const fields = value as Record<string, unknown>
  const named = names.map((name) => fields[name]).find((field) => typeof field === 'string')
  const only = Object.values(fields)
  if (typeof named === 'string') return named
  return only.length === 1 && typeof only[0] === 'string' ? only[0] : ''
}

function fromBrokenJson(args: string): string | undefined {
  const text = brokenJson.exec(args)?.[1]?.replace(/"\s*\}?\s*$/, '')
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', '/': '/' }
  return text?.replace(/\\([ntr"\\/])/g, (_, letter: string) => escapes[letter] ?? letter)
}

// Takes secrets out of text before anyone can read it. Works on plain text and on lines of JSON: whole escape
// sequences are consumed, so a line of JSON stays one.
const redacted = '[redacted]'

// One pass over the line; nearly all lines end here.
const suspicious = /sk-|bearer|authorization|token|secret|passw|api[-_]?key|cookie|:\/\//i

// A run of text up to a space, a quote or the next parameter; escapes in pairs, but not the ones that end a word.
const value = String.raw`(?:[^\s"'\\,;&]|\\[^"'nrt])+`
const quotedText = String.raw`"(?:[^"\\]|\\.)*"`
// A bare double quote would be the end of a JSON string: only escaped ones belong to the text.
const quote = String.raw`(?:\\["']|')?`
const secretName = String.raw`(?:proxy-)?authorization|(?:set-)?cookie|[\w-]*(?:token|secret|password|passwd|api[-_]?key)`

// Repeats that can fail late are bounded: a caller's long nonsense must not cost quadratic time.
const rules: readonly [pattern: RegExp, replacement: string][] = [
  // Fields of a JSON object, with one string or a list of them.
  [new RegExp(`("(?:${secretName})"\\s*:\\s*)${quotedText}`, 'gi'), `$1"${redacted}"`],
  [
    new RegExp(`("(?:${secretName})"\\s*:\\s*\\[)\\s*${quotedText}(?:\\s*,\\s*${quotedText})*`, 'gi'),
    `$1"${redacted}"`,
  ],
  // `Authorization: Basic dXNlcjpw`, also within quoted JSON.
  [
    new RegExp(`(authorization${quote}\\s*[:=]\\s*${quote})(?:(?:basic|bearer|digest|token)\\s+)?${value}`, 'gi'),
    `$1${redacted}`,
  ],
  [new RegExp(`(bearer(?:\\s|\\\\[nrt]|%20|[+:])+)${value}`, 'gi'), `$1${redacted}`],
  // `?token=…`, `client_secret=…`, and `\\"password\\": \\"…\\"` in JSON that is quoted within JSON.
  [
    new RegExp(`((?:token|secret|password|passwd|api[-_]?key)(?:${quote}\\s*=|\\\\"\\s*:)\\s*${quote})${value}`, 'gi'),
    `$1${redacted}`,
  ],
  // A password in a URL. Greedy to the last @, for passwords that hold one.
  [/(:\/\/[^\s/:@"\\]{0,256}:)[^\s"]{1,256}@/g, `$1${redacted}@`],
  // A key where a word begins (the n of an escaped line end is no letter), or anything long after `sk-`.
  [/(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]|\\u[0-9a-f]{4}|%[0-9A-Fa-f]{2}))sk-[\w-]+/g, `sk-${redacted}`],
  [/sk-[\w-]{24,}/g, `sk-${redacted}`],
]

export function redact(text: string): string {
  if (!suspicious.test(text)) return text
  let clean = text
  for (const [pattern, replacement] of rules) clean = clean.replace(pattern, replacement)
  return clean
}

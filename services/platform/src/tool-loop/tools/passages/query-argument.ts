// What a model wants to look for: `{"query": "…"}`, or what models write instead.
const maxHalfLetters = 1_000
const brokenJson = /^\s*\{\s*"\w*"\s*:\s*"([^"]*)/

/** Undefined: it says nothing. */
export function queryOf(args: string): string | undefined {
  const text = firstText(parsed(args)) ?? brokenJson.exec(args)?.[1] ?? args
  const query = text.trim()
  return query === '' || query === '{}' ? undefined : shortened(query)
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return undefined
  }
}

/** `{"query": …}` first, else the first text anywhere: `{"q": …}`, `{"queries": […]}`, `"…"`. */
function firstText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const { query } = value as { query?: unknown }
  if (typeof query === 'string') return query
  for (const inner of Object.values(value)) {
    const text = firstText(inner)
    if (text !== undefined) return text
  }
  return undefined
}

/** In long messages the question stands at the beginning or at the end. */
const shortened = (query: string): string =>
  query.length <= 2 * maxHalfLetters ? query : `${query.slice(0, maxHalfLetters)} ${query.slice(-maxHalfLetters)}`

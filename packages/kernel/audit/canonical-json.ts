// JSON that is the same text for the same value, whatever order its fields were written in.
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  if ('toJSON' in value && typeof value.toJSON === 'function') return sorted(value.toJSON())
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value).sort()) copy[key] = sorted(value[key as keyof typeof value])
  return copy
}

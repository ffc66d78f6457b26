const safe = new Set(['http:', 'https:', 'mailto:'])

/** The address of a link in a text that a model wrote; undefined where it could run something. */
export function safeLink(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  return safe.has(url.protocol) ? url.href : undefined
}

// The headings that a PDF lists itself, by the pages they stand on.
import type { getDocumentProxy } from 'unpdf'

export interface OutlineHeading {
  level: number
  text: string
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type Entry = Awaited<ReturnType<Pdf['getOutline']>>[number]

const maxEntries = 2_000
const maxLevel = 6

/** Pages from 1. An outline that cannot be read, or has next to nothing, is none. */
export async function outlineOf(pdf: Pdf): Promise<Map<number, OutlineHeading[]>> {
  const pages = new Map<number, OutlineHeading[]>()
  try {
    const entries = flat((await pdf.getOutline()) ?? [], 1)
    if (entries.length < 2) return pages
    for (const { entry, level } of entries) {
      const page = await pageOf(pdf, entry)
      if (page === undefined || entry.title.trim() === '') continue
      pages.set(page, [...(pages.get(page) ?? []), { level, text: entry.title }])
    }
    return pages
  } catch {
    return new Map()
  }
}

function flat(entries: readonly Entry[], level: number, found: { entry: Entry; level: number }[] = []) {
  for (const entry of entries) {
    if (found.length >= maxEntries) break
    found.push({ entry, level })
    if (level < maxLevel) flat(entry.items ?? [], level + 1, found)
  }
  return found
}

async function pageOf(pdf: Pdf, { dest }: Entry): Promise<number | undefined> {
  const place = typeof dest === 'string' ? await pdf.getDestination(dest) : dest
  const target: unknown = Array.isArray(place) ? place[0] : undefined
  if (typeof target === 'number') return target + 1
  return target ? (await pdf.getPageIndex(target as { num: number; gen: number })) + 1 : undefined
}

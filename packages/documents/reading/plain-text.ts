// The structure of plain text, only where it is sure: lines that are underlined, chapters that are named, sections that
// are numbered in more than one step. A heading stands alone between empty lines.
import type { Mark } from '../marks.ts'
import type { LineMarker } from './line-marks.ts'

const maxTitleLength = 100
const underline = /^([=\-~*^#"'+])\1{2,}\s*$/
const chapter =
  /^(?:chapter|section|part|article|appendix|annex|kapitel|abschnitt|artikel|chapitre|capítulo)\s+(?:\d{1,3}|[ivxlc]{1,7}|[a-z])\b[.:)\s–—-]*[^.!?]*$/i
const numbered = /^(\d{1,3}(?:\.\d{1,3}){1,5})\.?\s+\p{Lu}/u
const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''

export class PlainTextMarker implements LineMarker {
  #previous = ''
  /** Signs of underlines in the order they were first seen: the first is for the highest level. */
  readonly #signs: string[] = []

  before(line: string, next: string | undefined): readonly Mark[] {
    const isFree = isBlank(this.#previous) || underline.test(this.#previous)
    const level = isFree ? this.#levelOf(line, next) : undefined
    this.#previous = line
    return level === undefined ? [] : [{ mark: 'heading', level, text: line.trim() }]
  }

  end(): readonly Mark[] {
    return []
  }

  #levelOf(line: string, next: string | undefined): number | undefined {
    const title = line.trim()
    if (title === '' || title.length > maxTitleLength || underline.test(line)) return undefined
    const sign = next === undefined ? undefined : underline.exec(next)?.[1]
    if (sign !== undefined) return isUnder(next ?? '', title) ? this.#levelOfSign(sign) : undefined
    if (!isBlank(next) || /[.,;:!?]$/.test(title)) return undefined
    if (chapter.test(title)) return 1
    return numbered.exec(title)?.[1]?.split('.').length
  }

  #levelOfSign(sign: string): number {
    if (!this.#signs.includes(sign)) this.#signs.push(sign)
    return this.#signs.indexOf(sign) + 1
  }
}

/** Drawn for this line, not across the page. */
const isUnder = (line: string, title: string): boolean => Math.abs(line.trim().length - title.length) <= 3

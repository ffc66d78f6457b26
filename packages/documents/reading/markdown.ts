// The structure of Markdown: headings, tables, lists, code, and the title that stands before them.
import type { Block, Mark } from '../marks.ts'
import type { LineMarker } from './line-marks.ts'

const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const underline = /^ {0,3}(=+|-{2,})[ \t]*$/
const fence = /^\s*(`{3,}|~{3,})/
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const frontMatterTitle = /^title[ \t]*[:=][ \t]*(["']?)(.+)\1[ \t]*$/i
const frontMatterMark = /^(---|\+\+\+)[ \t]*$/
const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''

export class MarkdownMarker implements LineMarker {
  #isFirst = true
  /** The line that ends them. */
  #frontMatter: string | undefined
  #block: Block | undefined
  #fence = ''
  /** Lines of the table that is open. */
  #rows = 0
  #previous = ''
  #header = ''

  before(line: string, next: string | undefined): readonly Mark[] {
    const marks = this.#isFirst ? this.#first(line, next) : this.#later(line, next)
    this.#isFirst &&= isBlank(line)
    this.#previous = line
    return marks
  }

  end(): readonly Mark[] {
    return this.#close()
  }

  #first(line: string, next: string | undefined): readonly Mark[] {
    if (!frontMatterMark.test(line)) return this.#later(line, next)
    this.#frontMatter = line.trim()
    return []
  }

  #later(line: string, next: string | undefined): readonly Mark[] {
    if (this.#frontMatter !== undefined) return this.#inFrontMatter(line)
    if (this.#fence !== '') return this.#inFence(line)
    if (this.#block === 'code') return [...this.#close(), ...this.#later(line, next)]
    const fenced = fence.exec(line)?.[1]
    if (fenced !== undefined) return this.#openFence(line, fenced)
    if (this.#block === 'table') return this.#inTable(line, next)
    const found = headingOf(line, next, this.#previous)
    if (found !== undefined) return [...this.#close(), found]
    if (line.includes('|') && next?.includes('-') && delimiterRow.test(next))
      return [...this.#close(), ...this.#open('table', line)]
    return this.#inList(line, next)
  }

  #inFrontMatter(line: string): readonly Mark[] {
    if (line.trim() === this.#frontMatter) this.#frontMatter = undefined
    const title = frontMatterTitle.exec(line)?.[2]
    return title === undefined ? [] : [{ mark: 'title', text: title }]
  }

  /** Code of a list's item stays with the list. */
  #openFence(line: string, fenced: string): readonly Mark[] {
    const isOfItem = this.#block === 'list' && /^\s/.test(line)
    const marks = isOfItem ? [] : this.#open('code', '')
    this.#fence = fenced
    return marks
  }

  #inFence(line: string): readonly Mark[] {
    const closing = fence.exec(line)?.[1]
    // The line that closes it belongs to it.
    if (closing?.startsWith(this.#fence) && line.trim() === closing) this.#fence = ''
    return []
  }

  #inTable(line: string, next: string | undefined): readonly Mark[] {
    this.#rows++
    if (isBlank(line) || !line.includes('|')) {
      this.#block = undefined
      return [{ mark: 'end' }, ...this.#later(line, next)]
    }
    // Behind the header and the line of dashes under it.
    return this.#rows === 2 ? [{ mark: 'header', text: cellsOf(this.#header) }] : []
  }

  #inList(line: string, next: string | undefined): readonly Mark[] {
    if (this.#block === 'list') {
      const goesOn = isBlank(line) || listItem.test(line) || /^\s/.test(line) || !isBlank(this.#previous)
      return goesOn ? [] : [...this.#close(), ...this.#later(line, next)]
    }
    const isCode = /^(?: {4}|\t)/.test(line)
    return listItem.test(line) && !isCode ? this.#open('list', '') : []
  }

  #open(block: Block, line: string): Mark[] {
    const marks = this.#close()
    this.#block = block
    this.#rows = 0
    if (block === 'table') this.#header = line
    return [...marks, { mark: 'begin', block }]
  }

  #close(): Mark[] {
    if (this.#block === undefined) return []
    this.#block = undefined
    return [{ mark: 'end' }]
  }
}

function headingOf(line: string, next: string | undefined, previous: string): Mark | undefined {
  const [, signs, text] = heading.exec(line) ?? []
  if (signs !== undefined) return text ? { mark: 'heading', level: signs.length, text: plain(text) } : undefined
  const under = next === undefined ? undefined : underline.exec(next)?.[1]
  if (under === undefined || isBlank(line) || !isBlank(previous) || listItem.test(line)) return undefined
  if (line.includes('|') || /^\s{4}|^\s*[>|]/.test(line)) return undefined
  return { mark: 'heading', level: under.startsWith('=') ? 1 : 2, text: plain(line) }
}

/** Without the signs for links, emphasis and code. */
const plain = (text: string): string =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|`|~~)(.+?)\1/g, '$2')
    .replace(/(?<!\w)([*_])(\S(?:.*?\S)?)\1(?!\w)/g, '$2')

/** `| a | b |` → `a | b`. */
const cellsOf = (row: string): string =>
  row
    .replace(/^\s*\|/, '')
    .replace(/\|\s*$/, '')
    .trim()

// Marks in an answer where it comes from, while it is being written: `file_citation` after the sentences that a passage
// says, `file_path` where a written file is named. Letters go out as they come; only what may be the beginning of a
// mark or a path waits, and the white space after a sentence.
import type { Annotation } from '../../resources/threads/messages/schema.ts'
import type { AnnotatedPiece, IndexedAnnotation } from './annotation.ts'
import { markEnd, markOf, markStart, maxMarkLetters, passageOfMark } from './citing/marks.ts'
import { PassageMatcher } from './citing/passage-match.ts'
import { SentenceReader } from './citing/sentence-reader.ts'
import { WrittenPaths } from './citing/written-paths.ts'
import type { Passage, WrittenFile } from './hosted-tool.ts'

export interface CitationSources {
  /** All passages that the run has found; none for an answer that must be JSON, which marks would break. */
  passages: readonly Passage[]
  files: readonly WrittenFile[]
}

/** For one text of one message: deltas in, deltas with marks and annotations out. */
export class CitationPlacer {
  readonly #marks: boolean
  /** There is nothing to cite: no letter need be looked at. */
  readonly #isPlain: boolean
  readonly #passages: readonly Passage[]
  readonly #matcher: PassageMatcher
  readonly #paths: WrittenPaths
  readonly #sentences = new SentenceReader()
  readonly #annotations: Annotation[] = []
  #text = ''
  /** Undecided: a mark or a path may begin here. */
  #held = ''
  #piece: AnnotatedPiece = { text: '', annotations: [] }

  /** `marks`: whether citations stand in the text too, or only at a place in it. */
  constructor({ passages, files }: CitationSources, { marks = true }: { marks?: boolean } = {}) {
    this.#marks = marks
    this.#isPlain = passages.length === 0 && files.length === 0
    this.#passages = passages
    this.#matcher = new PassageMatcher(passages)
    this.#paths = new WrittenPaths(files)
  }

  /** The whole text so far, marks included. */
  get text(): string {
    return this.#text
  }

  get annotations(): readonly Annotation[] {
    return this.#annotations
  }

  push(delta: string): AnnotatedPiece {
    if (this.#isPlain) this.#write(delta)
    else this.#read(this.#held + delta, false)
    return this.#taken()
  }

  /** What was held back, once no more text comes. */
  end(): AnnotatedPiece {
    this.#read(this.#held, true)
    this.#place(this.#sentences.end())
    return this.#taken()
  }

  #taken(): AnnotatedPiece {
    const piece = this.#piece
    this.#piece = { text: '', annotations: [] }
    return piece
  }

  #read(text: string, isEnd: boolean): void {
    this.#held = ''
    for (let at = 0; at < text.length; ) {
      const letter = text.charAt(at)
      const special = this.#special(letter, text, at, isEnd)
      if (special === 'undecided') {
        this.#held = text.slice(at)
        return
      }
      if (special === undefined) {
        this.#place(this.#sentences.next(letter))
        at++
      } else at += special
    }
  }

  /** How many letters a mark or a path here has; undefined when there is none. */
  #special(letter: string, text: string, at: number, isEnd: boolean): number | 'undecided' | undefined {
    if (letter === markStart && this.#passages.length > 0) return this.#mark(text, at, isEnd)
    if (!this.#paths.mayBeginWith(letter)) return undefined
    const path = this.#paths.at(text.slice(at), isEnd)
    if (path === undefined || path === 'undecided') return path
    this.#place(this.#sentences.skip())
    this.#annotate(path.text, { type: 'file_path', file_path: { file_id: path.fileId } })
    return path.text.length
  }

  /** A mark that the model wrote itself stands for ours. */
  #mark(text: string, at: number, isEnd: boolean): number | 'undecided' | undefined {
    const longest = text.slice(at, at + maxMarkLetters)
    const end = longest.search(/[】\n]/)
    if (end === -1) return isEnd || longest.length === maxMarkLetters ? undefined : 'undecided'
    if (longest[end] !== markEnd) return undefined
    const mark = longest.slice(0, end + 1)
    const passage = passageOfMark(mark, this.#passages)
    if (passage === undefined) return undefined
    this.#write(this.#sentences.marked())
    this.#annotate(mark, { type: 'file_citation', file_citation: { file_id: passage.fileId } })
    return mark.length
  }

  /** Writes what has been read, with a mark where a sentence ended that came from a passage. */
  #place({ text, ended, after }: { text: string; ended?: string; after?: string }): void {
    this.#write(text)
    const passage = ended === undefined ? undefined : this.#matcher.best(ended)
    if (passage !== undefined) {
      this.#annotate(markOf(passage), { type: 'file_citation', file_citation: { file_id: passage.fileId } })
    }
    if (after !== undefined) this.#write(after)
  }

  #write(text: string): void {
    this.#text += text
    this.#piece.text += text
  }

  #annotate(written: string, target: Target): void {
    const text = this.#marks || target.type === 'file_path' ? written : ''
    const start = this.#text.length
    this.#write(text)
    const annotation = { ...target, text, start_index: start, end_index: start + text.length }
    const index = this.#annotations.push(annotation) - 1
    this.#piece.annotations.push({ index, ...annotation } satisfies IndexedAnnotation)
  }
}

type Target =
  | { type: 'file_citation'; file_citation: { file_id: string } }
  | { type: 'file_path'; file_path: { file_id: string } }

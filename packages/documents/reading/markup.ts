// Reads HTML or XML as it arrives. Entities that a document defines itself are not expanded, so none can explode.
import { Parser } from 'htmlparser2'
import type { MarkedText } from '../marks.ts'
import { problems } from '../problems.ts'
import type { TextBuilder } from './text-builder.ts'

/** The parser looks through all open elements at every tag that closes none; pages of people have some dozens. */
const maxDepth = 2_000
/** A tag, a comment or a name that goes on for longer is never going to end. */
const maxSilence = 64 * 1024 ** 2

export interface MarkupListener {
  /** Where its text goes. */
  readonly out: TextBuilder
  open(name: string): void
  /** Of the element opened last; its name has its prefix. */
  attribute?(name: string, value: string): void
  close(name: string): void
  text(text: string): void
}

/** What the listener makes of the document, piece by piece; an empty one shows that it is at work. */
export async function* readMarkup(
  pieces: AsyncIterable<string>,
  form: 'html' | 'xml',
  listener: MarkupListener,
): AsyncGenerator<MarkedText> {
  const parser = new BoundedParser(form, listener)
  for await (const piece of pieces) {
    parser.write(piece)
    yield ''
    yield* listener.out.take()
  }
  parser.end()
  yield* listener.out.take()
}

class BoundedParser {
  readonly #parser: Parser
  #depth = 0
  /** Characters since the last thing that was understood. */
  #silence = 0

  constructor(form: 'html' | 'xml', listener: MarkupListener) {
    const named = form === 'xml' ? localName : (name: string): string => name
    this.#parser = new Parser(
      {
        onopentagname: (name) => {
          this.#heard(1)
          listener.open(named(name))
        },
        onattribute: (name, value) => {
          this.#heard(0)
          listener.attribute?.(name, value)
        },
        onclosetag: (name) => {
          this.#heard(-1)
          listener.close(named(name))
        },
        ontext: (text) => {
          this.#heard(0)
          listener.text(text)
        },
        oncommentend: () => this.#heard(0),
      },
      { xmlMode: form === 'xml' },
    )
  }

  write(piece: string): void {
    this.#silence += piece.length
    this.#parser.write(piece)
    if (this.#silence > maxSilence) throw problems.tooDeep()
  }

  end(): void {
    this.#parser.end()
  }

  #heard(deeper: number): void {
    this.#silence = 0
    this.#depth += deeper
    if (this.#depth > maxDepth) throw problems.tooDeep()
  }
}

/** Prefixes are the writer's choice: `w:p` and `p` are the same paragraph. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

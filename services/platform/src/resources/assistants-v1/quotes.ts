// What the citations of a message quote: the first form of the interface shows the words of the file. The steps of the
// run that wrote the message have the passages it had before it.
import type { ProjectCaller } from '../../callers.ts'
import { sentencesOf } from '../../tool-loop/tools/citing/sentences.ts'
import { bestSentence } from '../../tool-loop/tools/passages/excerpt.ts'
import type { Annotation, MessageObject } from '../threads/messages/schema.ts'
import { searchContent } from '../threads/runs/steps/schema.ts'
import type { RunSteps } from '../threads/runs/steps/service.ts'
import type { Quote } from './message-form.ts'

/** A line of a table may be one sentence. */
const maxQuoteLetters = 1_000
const pageSteps = 100
const mark = /【(\d+):(\d+)†[^】]*】/
const marks = new RegExp(mark, 'g')

interface FoundPassage {
  fileId: string
  text: string
}

/** Of one run: by search, then by place. */
type Searches = FoundPassage[][]

const noQuote: Quote = () => ''

/** For one request: what it has looked up it keeps. */
export class Quotes {
  readonly #steps: RunSteps
  readonly #caller: ProjectCaller
  readonly #searches = new Map<string, Promise<Searches>>()

  constructor(steps: RunSteps, caller: ProjectCaller) {
    this.#steps = steps
    this.#caller = caller
  }

  /** Reads steps only for a message that cites. */
  async of(message: MessageObject): Promise<Quote> {
    const { thread_id, run_id, content } = message
    const cites = content.some((part) => part.type === 'text' && part.text.annotations.some(isCitation))
    return run_id !== null && cites ? this.ofRun(thread_id, run_id) : noQuote
  }

  async ofRun(threadId: string, runId: string): Promise<Quote> {
    const known = this.#searches.get(runId) ?? this.#load(threadId, runId)
    this.#searches.set(runId, known)
    const searches = await known
    return (annotation, text) => quoteOf(annotation, text, searches)
  }

  /** The run has searched again. */
  forget(runId: string): void {
    this.#searches.delete(runId)
  }

  async #load(threadId: string, runId: string): Promise<Searches> {
    const searches: Searches = []
    for (let after: string | null | undefined; after !== null; ) {
      const page = { limit: pageSteps, order: 'asc' as const, include: [searchContent], ...(after && { after }) }
      const { data, has_more, last_id } = await this.#steps.list(this.#caller, threadId, runId, page)
      for (const { step_details: details } of data) {
        const calls = details.type === 'tool_calls' ? details.tool_calls : []
        for (const call of calls) if (call.type === 'file_search') searches.push(passagesOf(call.file_search.results))
      }
      after = has_more ? last_id : null
    }
    // Searches without a result are not counted in marks.
    return searches.filter((passages) => passages.length > 0)
  }
}

const isCitation = ({ type }: Annotation): boolean => type === 'file_citation'

const passagesOf = (
  results: readonly { file_id: string; content?: readonly { text: string }[] | undefined }[] = [],
): FoundPassage[] =>
  results.map(({ file_id, content = [] }) => ({ fileId: file_id, text: content.map(({ text }) => text).join('\n') }))

/** Of the passage, the sentence that says what the text says before the mark. */
function quoteOf(annotation: Annotation, text: string, searches: Searches): string {
  if (annotation.type !== 'file_citation') return ''
  const passage = passageOf(annotation, searches)
  if (passage === undefined) return ''
  const said = sentencesOf(text.slice(0, annotation.start_index).replace(marks, '')).at(-1) ?? ''
  const sentences = sentencesOf(passage.text)
  return (sentences[bestSentence(sentences, said)] ?? '').trim().slice(0, maxQuoteLetters)
}

function passageOf({ text, file_citation }: Annotation & { type: 'file_citation' }, searches: Searches) {
  const [, search, place] = mark.exec(text) ?? []
  const marked = searches[Number(search)]?.[Number(place)]
  if (marked?.fileId === file_citation.file_id) return marked
  return searches.flat().find(({ fileId }) => fileId === file_citation.file_id)
}

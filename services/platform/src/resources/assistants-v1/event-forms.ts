// Streams of runs in the first form of the interface: each event's object in its old shape.
import type { ServerSentEvent } from '@atoll/kernel/http/reply'
import type { Annotation } from '../threads/messages/schema.ts'
import type { ContentDelta, Delta, RunEvent, RunEventData } from '../threads/runs/stream/events.ts'
import { annotationToV1, imageWords, messageToV1, type Quote, threadToV1 } from './message-form.ts'
import type { Quotes } from './quotes.ts'
import { runToV1, stepToV1 } from './run-form.ts'

/** The message that is being written, as far as it has come. */
interface OpenMessage {
  threadId: string
  runId: string | null
  /** By part. */
  texts: Map<number, string>
}

export async function* eventsToV1(stream: AsyncIterable<RunEvent>, quotes: Quotes): AsyncGenerator<ServerSentEvent> {
  const forms = new EventForms(quotes)
  for await (const { event, data } of stream) {
    const shown = await forms.dataOf(data)
    yield { event: nameToV1(event), data: typeof shown === 'string' ? shown : JSON.stringify(shown) }
  }
}

/** As the run's status. */
const nameToV1 = (event: string): string => (event === 'thread.run.incomplete' ? 'thread.run.completed' : event)

class EventForms {
  readonly #quotes: Quotes
  readonly #open = new Map<string, OpenMessage>()

  constructor(quotes: Quotes) {
    this.#quotes = quotes
  }

  async dataOf(data: RunEventData): Promise<object | string> {
    if (typeof data === 'string' || !('object' in data)) return data
    switch (data.object) {
      case 'thread':
        return threadToV1(data)
      case 'thread.run':
        return runToV1(data)
      case 'thread.run.step':
        this.#quotes.forget(data.run_id)
        return stepToV1(data)
      case 'thread.message': {
        const { id, thread_id: threadId, run_id: runId } = data
        if (data.status === 'in_progress') this.#open.set(id, { threadId, runId, texts: new Map() })
        else this.#open.delete(id)
        return messageToV1(data, await this.#quotes.of(data))
      }
      case 'thread.run.step.delta':
        return stepDeltaToV1(data)
      case 'thread.message.delta':
        return this.#messageDelta(data)
    }
  }

  async #messageDelta({ id, object, delta }: Delta): Promise<object> {
    const { content } = delta as { content: ContentDelta[] }
    const open = this.#open.get(id)
    const parts: object[] = []
    for (const part of content) parts.push(await this.#part(part, open))
    return { id, object, delta: { ...delta, content: parts } }
  }

  async #part(part: ContentDelta, open: OpenMessage | undefined): Promise<object> {
    const { index } = part
    if (part.type === 'image_file') return { index, type: part.type, image_file: { file_id: part.image_file.file_id } }
    if (part.type === 'image_url') return textDelta(index, imageWords(part.image_url.url))
    if (part.type === 'refusal') return textDelta(index, part.refusal)
    const { value, annotations } = part.text
    const text = (open?.texts.get(index) ?? '') + value
    open?.texts.set(index, text)
    if (annotations.length === 0) return part
    const quote = await this.#quoteIn(open, annotations)
    const shown = annotations.map((one) => ({ index: one.index, ...annotationToV1(one, text, quote) }))
    return { index, type: 'text', text: { value, annotations: shown } }
  }

  async #quoteIn(open: OpenMessage | undefined, annotations: readonly Annotation[]): Promise<Quote> {
    const cites = annotations.some(({ type }) => type === 'file_citation')
    return cites && open?.runId ? this.#quotes.ofRun(open.threadId, open.runId) : () => ''
  }
}

const textDelta = (index: number, value: string): object => ({ index, type: 'text', text: { value, annotations: [] } })

/** Pieces of calls; those of searches have nothing in them but that they are. */
function stepDeltaToV1({ id, object, delta }: Delta): object {
  const { step_details: details } = delta as { step_details: { tool_calls?: { type: string; file_search?: object }[] } }
  const tool_calls = details.tool_calls?.map(({ file_search, ...call }) =>
    file_search === undefined ? call : { ...call, type: 'retrieval', retrieval: {} },
  )
  return { id, object, delta: { step_details: { ...details, ...(tool_calls && { tool_calls }) } } }
}

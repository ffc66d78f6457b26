// Whether what is to be learnt is fit to be: all words of every example, through the model that moderates.
import { createReadStream } from 'node:fs'
import { inputLines } from '@atoll/kernel/blobs/input-lines'
import type { Call } from '@atoll/models/call'
import type { ModerationModel } from '@atoll/models/moderate'
import { JobFailure } from './job-failure.ts'

/** Longer lines are not learnt from. */
const maxLineBytes = 4 * 1024 * 1024
const linesAtOnce = 16
const shownLines = 50

interface Flagged {
  line: number
  categories: string[]
}

interface Line {
  number: number
  texts: string[]
}

/** Throws a JobFailure that names the lines. They have been read before, and are examples. */
export async function moderateExamples(
  file: string,
  kind: 'training' | 'validation',
  model: ModerationModel,
  call: Call,
): Promise<void> {
  const flagged: Flagged[] = []
  let waiting: Line[] = []
  const judge = async (): Promise<void> => {
    const inputs = waiting.map(({ texts }) => ({ texts, images: [] }))
    const { results } = inputs.length === 0 ? { results: [] } : await model.moderate(inputs, call)
    for (const [at, { flagged: isFlagged, categories }] of results.entries()) {
      if (!isFlagged) continue
      const found = Object.entries(categories).flatMap(([category, is]) => (is ? [category] : []))
      flagged.push({ line: waiting[at]?.number ?? 0, categories: found })
    }
    waiting = []
  }
  for await (const { number, text } of inputLines(createReadStream(file), maxLineBytes)) {
    const texts = text === undefined ? [] : textsOf(JSON.parse(text))
    if (texts.length === 0) continue
    waiting.push({ number, texts })
    if (waiting.length === linesAtOnce) await judge()
  }
  await judge()
  if (flagged.length > 0) throw unsafe(flagged, kind)
}

interface Message {
  content?: string | { text: string }[] | null
  refusal?: string | null
  tool_calls?: { function: { arguments: string } }[]
}

function textsOf({ messages }: { messages: Message[] }): string[] {
  return messages
    .flatMap(({ content, refusal, tool_calls = [] }) => [
      ...(typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text)),
      ...(refusal == null ? [] : [refusal]),
      ...tool_calls.map((call) => call.function.arguments),
    ])
    .filter((text) => text.trim() !== '')
}

function unsafe(flagged: readonly Flagged[], kind: string): JobFailure {
  const count = flagged.length === 1 ? 'one line' : `${flagged.length} lines`
  const lines = flagged.slice(0, shownLines).map(({ line, categories }) => `Line ${line}: ${categories.join(', ')}.`)
  const message = [`The ${kind} file has ${count} that moderation flags; take them out.`, ...lines].join('\n')
  return new JobFailure(`unsafe_${kind}_file`, message, `${kind}_file`)
}

// Citations of an answer: its marks become numbers, and each finds the passage that it was made from.
import type { RunStepObject } from '../../api/types.ts'

type Annotation = { text: string; start_index: number; end_index: number } & (
  | { type: 'file_citation'; file_citation: { file_id: string } }
  | { type: 'file_path'; file_path: { file_id: string } }
)

export interface Citation {
  number: number
  fileId: string
  /** What was said just before it. */
  sentence: string
}

export interface Passage {
  fileName: string
  text: string
}

export function citedText(value: string, annotations: readonly Annotation[]) {
  const citations: Citation[] = []
  const files: string[] = []
  let text = ''
  let said = ''
  let at = 0
  for (const one of [...annotations].sort((a, b) => a.start_index - b.start_index)) {
    const more = value.slice(at, one.start_index)
    text += more
    said += more
    at = one.end_index
    if (one.type === 'file_path') {
      files.push(one.file_path.file_id)
      text += one.text
      continue
    }
    const number = citations.length + 1
    citations.push({ number, fileId: one.file_citation.file_id, sentence: lastSentence(said) })
    text += ` [${number}]`
  }
  return { text: text + value.slice(at), citations, files: [...new Set(files)] }
}

const lastSentence = (text: string): string =>
  text
    .trimEnd()
    .split(/(?<=[.!?])\s+/)
    .at(-1) ?? ''

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

/** Of the passages that were found in the file, the one that has most of the sentence's words. */
export function passageOf({ fileId, sentence }: Citation, steps: readonly RunStepObject[]): Passage | undefined {
  const passages = steps.flatMap(({ step_details: details }) =>
    details.type !== 'tool_calls'
      ? []
      : details.tool_calls.flatMap((call) =>
          call.type !== 'file_search'
            ? []
            : (call.file_search.results ?? [])
                .filter(({ file_id }) => file_id === fileId)
                .flatMap(({ file_name, content = [] }) => content.map(({ text }) => ({ fileName: file_name, text }))),
        ),
  )
  const said = words(sentence)
  const shared = ({ text }: Passage): number => [...words(text)].filter((word) => said.has(word)).length
  return passages.toSorted((one, other) => shared(other) - shared(one))[0]
}

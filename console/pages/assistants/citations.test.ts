import { expect, it } from 'vitest'
import type { RunStepObject } from '../../api/types.ts'
import { citedText, passageOf } from './citations.ts'

const value = 'Guests pay six euros.【4:0†fees.txt】 Dogs stay outside.【4:1†rules.txt】'
const citation = (text: string, file_id: string) => {
  const start_index = value.indexOf(text)
  const span = { text, start_index, end_index: start_index + text.length }
  return { type: 'file_citation' as const, ...span, file_citation: { file_id } }
}
const annotations = [citation('【4:1†rules.txt】', 'file-2'), citation('【4:0†fees.txt】', 'file-1')]

it('numbers citations in the order of the text, each with what was said before it', () => {
  const { text, citations } = citedText(value, annotations)
  expect(text).toBe('Guests pay six euros. [1] Dogs stay outside. [2]')
  expect(citations).toEqual([
    { number: 1, fileId: 'file-1', sentence: 'Guests pay six euros.' },
    { number: 2, fileId: 'file-2', sentence: 'Dogs stay outside.' },
  ])
})

it('finds the passage of the cited file that the sentence was made from', () => {
  const result = (file_id: string, text: string) => ({
    ...{ file_id, file_name: `${file_id}.txt`, score: 0.5 },
    content: [{ type: 'text' as const, text }],
  })
  const results = [
    result('file-1', 'The pool opens at eight.'),
    result('file-1', 'All guests pay six euros an evening.'),
    result('file-2', 'Guests pay six euros.'),
  ]
  const call = { id: 'c', type: 'file_search' as const, file_search: { results } }
  const steps = [{ step_details: { type: 'tool_calls', tool_calls: [call] } }] as unknown as RunStepObject[]
  const [first] = citedText(value, annotations).citations
  expect(first && passageOf(first, steps)).toEqual({
    fileName: 'file-1.txt',
    text: 'All guests pay six euros an evening.',
  })
})

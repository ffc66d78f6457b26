// The cases of the chat model's evaluation. None of their kinds is in the training data.
import { readFileSync } from 'node:fs'

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

export interface FunctionDefinition {
  name: string
  description?: string
  parameters?: Record<string, unknown>
}

interface ToolSet {
  tools: FunctionDefinition[]
  /** What is said, and the call it needs; null: none. */
  requests: { user: string; call: { name: string; arguments: Record<string, unknown> } | null }[]
  /** A request, the call's result, and what the answer in words must hold. */
  results: {
    user: string
    call: { name: string; arguments: Record<string, unknown> }
    result: unknown
    expect: string[]
  }[]
}

interface ReadingCase {
  passage: string
  questions: { question: string; answers: string[] }[]
  unanswerable: string[]
}

interface ExtractionCase {
  schema: { properties: Record<string, unknown> } & Record<string, unknown>
  texts: { text: string; expect: Record<string, unknown> }[]
}

/** What a hook brings, and what an answer must hold one of. */
interface HookedCase {
  message: string
  name: string
  answers: string[]
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`./cases/${name}.json`, import.meta.url), 'utf8')) as T

export const toolSets = (): ToolSet[] => read('tools')
export const readings = (): ReadingCase[] => read('passages')
export const extractions = (): ExtractionCase[] => read('extraction')
export const everydayPrompts = (): string[] => read('everyday')
export const hookedMessages = (): HookedCase[] => read('hooked')

// A training file as tokens: every line is looked at, and all that is wrong is told at once.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { inputLines } from '@atoll/kernel/blobs/input-lines'
import { chatPrompt } from '@atoll/models/builtin/llama/chat-prompt'
import type { PromptModel } from '@atoll/models/builtin/llama/prompt-tokens'
import { trainingTokens } from '@atoll/models/builtin/llama/training-tokens'
import { ModelProblem } from '@atoll/models/problem'
import type { Example } from '../train/example.ts'
import { type ExampleLine, LineProblem, readLine } from './example-line.ts'

export interface LineError {
  /** From 1. */
  line: number
  message: string
}

export interface ReadExamples {
  examples: Example[]
  /** Lines with an example. */
  lines: number
  errors: LineError[]
  errorCount: number
  /** Examples that were longer than the model can hold, and lost their ends. */
  cut: number
  /** Of each line, to find those that stand in two files. */
  digests: Map<string, number>
}

const maxErrors = 50
/** Far more than any model reads at once. */
const maxLineBytes = 4 * 1024 * 1024

export interface ReadingOptions {
  model: PromptModel
  /** The model's chat template, where it brings one. */
  template: string | undefined
  /** What is longer is cut. */
  maxTokens: number
}

export async function readExamples(file: string, options: ReadingOptions): Promise<ReadExamples> {
  const { maxTokens } = options
  const read: ReadExamples = { examples: [], lines: 0, errors: [], errorCount: 0, cut: 0, digests: new Map() }
  for await (const { number: line, text, bytes } of inputLines(createReadStream(file), maxLineBytes)) {
    read.lines++
    try {
      if (text === undefined) throw new LineProblem(`it has ${bytes} bytes, and at most ${maxLineBytes} are read`)
      const example = readLine(text)
      const whole = tokensOf(example, options)
      const kept = whole.map((one) => cutTo(maxTokens, one)).filter(hasWordsToLearn)
      if (kept.length === 0) throw new LineProblem(`nothing to learn is left in its first ${maxTokens} tokens`)
      read.cut += whole.filter(({ tokens }) => tokens.length > maxTokens).length
      read.examples.push(...kept)
      read.digests.set(createHash('sha256').update(JSON.stringify(example.messages)).digest('base64'), line)
    } catch (error) {
      const message = faultOfLine(error)
      if (++read.errorCount <= maxErrors) read.errors.push({ line, message })
    }
  }
  return read
}

/** Throws what is none: a fault of ours, or of the machine. */
function faultOfLine(error: unknown): string {
  if (error instanceof LineProblem) return error.message
  const isRefused = error instanceof ModelProblem && ['invalid', 'unsupported'].includes(error.detail.kind)
  if (isRefused) return error.message.replace(/\.$/, '')
  throw error
}

const cutTo = (most: number, { tokens, weights }: Example): Example => ({
  tokens: tokens.slice(0, most),
  weights: weights.slice(0, most),
})

/** The first token is never foreseen. */
const hasWordsToLearn = ({ weights }: Example): boolean => weights.some((weight, index) => index > 0 && weight > 0)

/** In the same words as a request, so that the model learns what it will be asked. */
function tokensOf({ messages, weights, tools }: ExampleLine, { model, template }: ReadingOptions): Example[] {
  const asked = { messages, tools, toolChoice: 'auto', responseFormat: { type: 'text' }, audio: undefined } as const
  const prompt = chatPrompt({ ...asked, messages: [...messages] }, template)
  // Where the template shows no tools, a message that tells of them comes first.
  const added = prompt.messages.length - messages.length
  return trainingTokens(model, prompt, [...Array<number>(added).fill(0), ...weights])
}

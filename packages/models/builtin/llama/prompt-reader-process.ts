// The program of a process that reads long prompts for a model: its vocabulary and its template, and nothing else.
import { answerQuestions } from '../../process/answer-questions.ts'
import { loadPromptModel } from './prompt-model.ts'
import { type PromptModel, predictedTokens, readPrompt } from './prompt-tokens.ts'
import type { LoadOptions, Prompt, ReadPrompt } from './protocol.ts'

export interface ReadQuestion {
  prompt: Prompt
  prediction: string | undefined
}

export interface ReadAnswer {
  prompt: ReadPrompt
  prediction: number[] | undefined
}

const { file, contextLength } = JSON.parse(process.argv[2] ?? '') as LoadOptions
let loading: Promise<PromptModel> | undefined

answerQuestions<ReadQuestion, ReadAnswer>(async ({ prompt, prediction }) => {
  loading ??= loadPromptModel(file, contextLength)
  const model = await loading
  return {
    prompt: readPrompt(model, prompt),
    prediction: prediction === undefined ? undefined : predictedTokens(model, prediction),
  }
})

// The program of a process that reads long prompts for a model: its vocabulary and its template, and nothing else.
import { readGguf } from '../../gguf/read.ts'
import { answerQuestions } from '../../process/answer-questions.ts'
import { loadAddon } from './addon.ts'
import { ChatTemplate } from './chat-template.ts'
import { type PromptModel, predictedTokens, readPrompt } from './prompt-tokens.ts'
import type { LoadOptions, Prompt, ReadPrompt } from './protocol.ts'
import { Vocabulary } from './vocabulary.ts'

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
  loading ??= load()
  const model = await loading
  return {
    prompt: readPrompt(model, prompt),
    prediction: prediction === undefined ? undefined : predictedTokens(model, prediction),
  }
})

async function load(): Promise<PromptModel> {
  const { chatTemplate, longestTokenBytes, vocabularySize = 0 } = await readGguf(file)
  const addon = await loadAddon((text) => process.stderr.write(`${text}\n`))
  const model = new addon.AddonModel(file, {
    addonExports: addon,
    gpuLayers: 0,
    useMmap: true,
    checkTensors: false,
    vocabOnly: true,
  })
  if (!(await model.init())) throw new Error('llama.cpp could not load the vocabulary')
  return {
    model,
    vocabulary: new Vocabulary(model, vocabularySize),
    vocabularySize,
    template: new ChatTemplate(addon, model, chatTemplate),
    contextLength,
    longestTokenBytes,
  }
}

// A model's vocabulary and template, without the model: enough to read prompts.
import { readGguf } from '../../gguf/read.ts'
import { loadAddon } from './addon.ts'
import { ChatTemplate } from './chat-template.ts'
import type { PromptModel } from './prompt-tokens.ts'
import { Vocabulary } from './vocabulary.ts'

export async function loadPromptModel(file: string, contextLength: number): Promise<PromptModel> {
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

// A model in memory with its context: what all generations of one process share.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readGguf } from '../../gguf/read.ts'
import { ModelProblem } from '../../problem.ts'
import type { Addon, AddonContext, AddonModel } from './addon.ts'
import { ChatTemplate } from './chat-template.ts'
import { CopyTokens } from './copying/copy-tokens.ts'
import { GrammarCache } from './grammar-cache.ts'
import type { LoadedModel, LoadOptions } from './protocol.ts'
import { Utf8Guard } from './utf8-guard.ts'
import { Vocabulary } from './vocabulary.ts'

/** The most tokens of one step; how many it really has is a matter of time. */
const batchTokens = 512

/**
 * ggml's number of Q8_0. Keys alone: values can be kept so only with flash attention, which is written for other
 * machines. On processors it makes a token behind 2,000 others cost three times as much.
 */
const keysInEightBits = { kvCacheKeyType: 8 }

/** Read whole: what is copied into another layout anyway would count twice when the file is mapped too. */
const smallFile = 256e6

export interface Loaded extends LoadedModel {
  addon: Addon
  model: AddonModel
  context: AddonContext
  vocabulary: Vocabulary
  utf8Guard: Utf8Guard
  template: ChatTemplate
  longestTokenBytes: number | undefined
  batchTokens: number
  grammars: GrammarCache
  copyTokens: CopyTokens
}

const unusable = (reason: string): ModelProblem => new ModelProblem(reason, { kind: 'not_installed' })

async function checkFile(file: string, expected: string): Promise<void> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) digest.update(piece)
  if (digest.digest('hex') !== expected) throw unusable('it is damaged or was changed: its checksum is another one')
}

export async function loadModel(addon: Addon, options: LoadOptions): Promise<Loaded> {
  if (options.sha256 !== undefined) await checkFile(options.file, options.sha256)
  const info = await readGguf(options.file)
  const model = new addon.AddonModel(options.file, {
    addonExports: addon,
    gpuLayers: 0,
    useMmap: info.fileBytes > smallFile,
    checkTensors: true,
  })
  if (!(await model.init())) throw unusable('llama.cpp could not load it')
  const { contextLength, slots, threads, keyBits } = options
  const context = new addon.AddonContext(model, {
    contextSize: contextLength * slots,
    batchSize: batchTokens,
    sequences: slots,
    threads,
    flashAttention: false,
    ...(keyBits === 8 ? keysInEightBits : {}),
  })
  if (!(await context.init())) throw unusable('there is not enough memory for the context')
  const vocabulary = new Vocabulary(model, info.vocabularySize ?? 0)
  return {
    addon,
    model,
    context,
    vocabulary,
    utf8Guard: new Utf8Guard(vocabulary),
    vocabularySize: vocabulary.size,
    template: new ChatTemplate(addon, model, info.chatTemplate),
    longestTokenBytes: info.longestTokenBytes,
    contextLength,
    slots,
    batchTokens,
    grammars: new GrammarCache(addon, model),
    copyTokens: new CopyTokens(vocabulary),
  }
}

// A model in memory with its context: what all generations of one process share.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readGguf } from '../../gguf/read.ts'
import type { Addon, AddonContext, AddonGrammarState, AddonModel } from './addon.ts'
import type { LoadedModel, LoadOptions } from './protocol.ts'
import { Utf8Guard } from './utf8-guard.ts'
import { Vocabulary } from './vocabulary.ts'

/** Tokens computed in one step: enough to be quick with prompts, few enough that running answers do not wait long. */
const batchTokens = 512

/** Read whole: what is copied into another layout anyway would count twice when the file is mapped too. */
const smallFile = 256e6

/** For files that bring no template: the most common way to mark turns. */
const plainTemplate = `{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}`

export interface Loaded extends LoadedModel {
  addon: Addon
  model: AddonModel
  context: AddonContext
  vocabulary: Vocabulary
  utf8Guard: Utf8Guard
  template: string
  batchTokens: number
  grammarState(gbnf: string): AddonGrammarState
}

async function checkFile(file: string, expected: string): Promise<void> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 20 })) digest.update(piece)
  if (digest.digest('hex') !== expected) throw new Error('it is damaged or was changed: its checksum is another one')
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
  if (!(await model.init())) throw new Error('llama.cpp could not load the file')
  const { contextLength, slots, threads } = options
  const context = new addon.AddonContext(model, {
    contextSize: contextLength * slots,
    batchSize: batchTokens,
    sequences: slots,
    threads,
    flashAttention: false,
  })
  if (!(await context.init())) throw new Error('there is not enough memory for the context')
  const vocabulary = new Vocabulary(model, info.vocabularySize ?? 0)
  const grammarState = (gbnf: string): AddonGrammarState =>
    new addon.AddonGrammarEvaluationState(
      model,
      new addon.AddonGrammar(gbnf, { addonExports: addon, rootRuleName: 'root' }),
    )
  return {
    addon,
    model,
    context,
    vocabulary,
    utf8Guard: new Utf8Guard(vocabulary),
    vocabularySize: vocabulary.size,
    template: info.chatTemplate ?? plainTemplate,
    contextLength,
    slots,
    batchTokens,
    grammarState,
  }
}

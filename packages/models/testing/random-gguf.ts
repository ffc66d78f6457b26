// A llama model with random weights and a small byte-level vocabulary: it speaks nonsense, but it is a real model
// for a real runtime. The same seed gives the same file.

import { byteLetters } from '../gguf/byte-letters.ts'
import { type GgufTensor, type GgufValue, writeGguf } from '../gguf/write.ts'

export interface RandomModel {
  layers?: number
  width?: number
  heads?: number
  contextLength?: number
  /** Filled up with short words, for models as large as real ones; up to about 18,000. */
  vocabulary?: number
  seed?: number
  template?: string | undefined
  /** Its last token begins a tool call, so that a bias can make the model want one. */
  callToken?: boolean
  /** Its last tokens mark what stands before a gap, what comes after it, and where it is to be filled. */
  fillsGaps?: boolean
  /** An embedding model: the mean of its tokens, or its last one. */
  pooling?: 'mean' | 'last'
  /** Every token looks at all others, those after it too. */
  looksAhead?: boolean
  /** Heads of keys and values, where several heads share one. */
  sharedHeads?: number
  /** How wide the layers are inside. */
  hidden?: number
  family?: 'llama' | 'qwen2'
  /** Writes the matrices of the layers in one of `tensorTypes`, from bytes that this makes. */
  written?: { kind: number; bytes(inputs: number, outputs: number): Uint8Array }
}

export const specialTokens = ['<|end|>', '<|system|>', '<|user|>', '<|assistant|>', '<|tool|>'] as const

const tokenType = { normal: 1, control: 3, userDefined: 4 }

/** Tool calls the way many small models are taught to write them. */
export const testTemplate = `{%- for message in messages -%}
<|{{ message.role }}|>
{%- if loop.first and tools %}{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
{% endif -%}
{{ message.content }}
{%- for call in message.tool_calls or [] -%}
<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>
{%- endfor -%}
<|end|>
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`

export function writeRandomModel(file: string, options: RandomModel = {}): void {
  const { layers = 2, width = 64, heads = 4, contextLength = 2048, vocabulary = 0, seed = 1 } = options
  const { sharedHeads = heads, family = 'llama' } = options
  const { tokens, merges } = vocabularyOf(vocabulary)
  const types: number[] = tokens.map((_, id) => (id < specialTokens.length ? tokenType.control : tokenType.normal))
  if (options.callToken) {
    tokens.push('<tool_call>')
    types.push(tokenType.userDefined)
  }
  const marks: Record<string, GgufValue> = {}
  for (const mark of options.fillsGaps ? ['pre', 'suf', 'mid'] : []) {
    marks[`tokenizer.ggml.fim_${mark}_token_id`] = { u32: tokens.length }
    tokens.push(`<|fim_${mark}|>`)
    types.push(tokenType.control)
  }
  const feedForward = options.hidden ?? Math.ceil((width * 8) / 3 / 32) * 32
  const metadata: Record<string, GgufValue> = {
    'general.architecture': family,
    'general.name': `Random ${layers}x${width}`,
    [`${family}.block_count`]: { u32: layers },
    [`${family}.context_length`]: { u32: contextLength },
    [`${family}.embedding_length`]: { u32: width },
    [`${family}.feed_forward_length`]: { u32: feedForward },
    [`${family}.attention.head_count`]: { u32: heads },
    [`${family}.attention.head_count_kv`]: { u32: sharedHeads },
    [`${family}.attention.layer_norm_rms_epsilon`]: { f32: 1e-5 },
    [`${family}.rope.dimension_count`]: { u32: width / heads },
    [`${family}.vocab_size`]: { u32: tokens.length },
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': { strings: tokens },
    'tokenizer.ggml.token_type': { i32s: types },
    'tokenizer.ggml.merges': { strings: merges },
    'tokenizer.ggml.eos_token_id': { u32: 0 },
    'tokenizer.ggml.bos_token_id': { u32: 0 },
    'tokenizer.ggml.add_bos_token': false,
    ...marks,
  }
  if (options.pooling !== undefined) metadata[`${family}.pooling_type`] = { u32: options.pooling === 'mean' ? 1 : 3 }
  if (options.looksAhead) metadata[`${family}.attention.causal`] = false
  const template = 'template' in options ? options.template : testTemplate
  if (template !== undefined) metadata['tokenizer.chat_template'] = template
  writeGguf(
    file,
    metadata,
    tensors(
      { layers, width, sharedWidth: (width / heads) * sharedHeads, feedForward, vocabulary: tokens.length, seed },
      options,
    ),
  )
}

/** Pairs that the tokenizer joins, in order: enough that words are often more than one byte. */
const pairs: [string, string][] = [
  ['t', 'h'], ['th', 'e'], ['i', 'n'], ['e', 'r'], ['o', 'n'], ['a', 'n'], ['Ġ', 'a'], ['Ġ', 't'], ['Ġ', 's'],
  ['r', 'e'], ['in', 'g'], ['e', 'd'], ['o', 'r'], ['a', 't'], ['e', 's'], ['Ġ', 'w'], ['h', 'e'], ['l', 'l'],
] // biome-ignore format: a table

/** The id of the token that begins a tool call, in a model without added words. */
export const callToken = specialTokens.length + byteLetters.length + pairs.length

/**
 * Words of one to three letters behind a space, up to the wanted number. Each is joined letter by letter, before any
 * other pair: text made of them is read back as the same tokens.
 */
function* words(count: number): Generator<[string, string]> {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  let known = ['Ġ']
  while (count > 0) {
    const longer: string[] = []
    for (const start of known) {
      for (const letter of letters) {
        if (count-- <= 0) return
        yield [start, letter]
        longer.push(start + letter)
      }
    }
    known = longer
  }
}

function vocabularyOf(size: number): { tokens: string[]; merges: string[] } {
  const plain = [...specialTokens, ...byteLetters]
  // Words bring their own beginnings.
  const own = size > plain.length + pairs.length ? pairs.filter(([left]) => left !== 'Ġ') : pairs
  const wanted = [...words(Math.max(0, size - plain.length - own.length)), ...own]
  const known = new Set(plain)
  const joined = wanted.filter(([left, right]) => !known.has(left + right) && known.add(left + right))
  return {
    tokens: [...plain, ...joined.map(([left, right]) => left + right)],
    merges: joined.map(([left, right]) => `${left} ${right}`),
  }
}

interface Sizes {
  layers: number
  width: number
  sharedWidth: number
  feedForward: number
  vocabulary: number
  seed: number
}

function tensors(size: Sizes, { family, written }: RandomModel): GgufTensor[] {
  const { layers, width, sharedWidth, feedForward, vocabulary } = size
  const normal = normals(size.seed)
  const matrix = (name: string, inputs: number, outputs: number, scale: number): GgufTensor => {
    const data = new Float32Array(inputs * outputs)
    for (let at = 0; at < data.length; at++) data[at] = normal() * scale
    return { name, shape: [inputs, outputs], data }
  }
  const ones = (name: string): GgufTensor => ({ name, shape: [width], data: new Float32Array(width).fill(1) })
  const list = [matrix('token_embd.weight', width, vocabulary, 1), ones('output_norm.weight')]
  list.push(matrix('output.weight', width, vocabulary, 2 / Math.sqrt(width)))
  for (let layer = 0; layer < layers; layer++) {
    const name = (part: string) => `blk.${layer}.${part}.weight`
    const layerMatrix = (part: string, inputs: number, outputs: number): void => {
      const made = matrix(name(part), inputs, outputs, 1 / Math.sqrt(inputs))
      list.push(written ? { ...made, data: { kind: written.kind, bytes: written.bytes(inputs, outputs) } } : made)
    }
    for (const [part, outputs] of [
      ['attn_q', width],
      ['attn_k', sharedWidth],
      ['attn_v', sharedWidth],
    ] as const) {
      layerMatrix(part, width, outputs)
      if (family !== 'qwen2') continue
      const { data } = matrix('bias', outputs, 1, 0.5)
      list.push({ name: `blk.${layer}.${part}.bias`, shape: [outputs], data })
    }
    layerMatrix('attn_output', width, width)
    layerMatrix('ffn_gate', width, feedForward)
    layerMatrix('ffn_up', width, feedForward)
    layerMatrix('ffn_down', feedForward, width)
    list.push(ones(name('attn_norm')), ones(name('ffn_norm')))
  }
  return list
}

/** Sums of uniform numbers are normal enough. */
function normals(seed: number): () => number {
  let state = seed >>> 0 || 1
  const uniform = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * Math.sqrt(3)
}

// Tells what is in a GGUF file without reading the model itself: some kilobytes to some megabytes at its start.
import { open } from 'node:fs/promises'
import { ByteWindow } from './byte-window.ts'
import { type Metadata, readMetadata } from './metadata.ts'
import { GgufProblem } from './problem.ts'
import { readTensors, type TensorTable } from './tensors.ts'
import { fileTypes, type Pooling, poolingTypes } from './types.ts'

export interface GgufInfo {
  /** `llama`, `qwen2`, `bert`, … */
  architecture: string
  name: string | undefined
  /** As the makers call its size: `0.5B`. */
  sizeLabel: string | undefined
  license: string | undefined
  /** `Q4_K_M`, `F16`, … */
  quantization: string | undefined
  contextLength: number | undefined
  blockCount: number | undefined
  embeddingLength: number | undefined
  /** A list where layers differ. */
  headCount: number | number[] | undefined
  kvHeadCount: number | number[] | undefined
  keyLength: number | undefined
  valueLength: number | undefined
  vocabularySize: number | undefined
  /** No token stands for more bytes. Undefined where the tokenizer leaves parts of a text out. */
  longestTokenBytes: number | undefined
  /** The Jinja template of the chat. */
  chatTemplate: string | undefined
  /** Only embedding models have one. */
  pooling: Pooling | undefined
  /** A token is computed from those before it alone; in the others every token looks at all. */
  isCausal: boolean
  bosToken: number | undefined
  eosToken: number | undefined
  addsBosToken: boolean | undefined
  parameterCount: number
  /** More than 1: this file is one of several that make the model together. */
  fileCount: number
  fileBytes: number
}

const magic = 'GGUF'
const versions = [2, 3]
const maxEntries = 65_536
const maxTensors = 100_000
/** A key and a value, and a row of the table of tensors, are no shorter. */
const leastEntryBytes = 13
const leastTensorBytes = 24
const defaultAlignment = 32
const maxAlignment = 65_536

/** Throws a GgufProblem when the file is none, or is damaged, or not whole. */
export const readGguf = async (file: string): Promise<GgufInfo> => (await readGgufParts(file)).info

export interface GgufParts {
  info: GgufInfo
  values: Metadata['values']
  tensors: TensorTable
  /** How many entries of metadata there are, and where the last one ends. */
  metadata: { count: number; end: number }
  /** Tensors begin at multiples of it. */
  alignment: number
}

/** With where each tensor lies. */
export async function readGgufParts(file: string): Promise<GgufParts> {
  const handle = await open(file)
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new GgufProblem('not a GGUF file: it is no regular file')
    const window = new ByteWindow(handle, stat.size)
    const { tensorCount, entryCount } = await readHead(window, stat.size)
    const metadata = await readMetadata(window, entryCount)
    const end = window.position
    const alignment = alignmentOf(metadata)
    const tensors = await readTensors(window, tensorCount, alignment)
    const info = { ...describe(metadata, tensors), fileBytes: stat.size }
    return { info, values: metadata.values, tensors, metadata: { count: entryCount, end }, alignment }
  } finally {
    await handle.close()
  }
}

async function readHead(window: ByteWindow, size: number): Promise<{ tensorCount: number; entryCount: number }> {
  if (size < magic.length) throw new GgufProblem(`not a GGUF file: it has only ${size} bytes`)
  await window.fill(magic.length, 'the head')
  const start = window.take(magic.length)
  if (start.toString('latin1') !== magic) throw new GgufProblem(`not a GGUF file: it begins with ${shown(start)}`)
  const version = await window.u32('the head')
  if (!versions.includes(version)) {
    const bigEndian = version > 0xffff ? ' (or one for big-endian machines)' : ''
    throw new GgufProblem(`a GGUF file of version ${version}${bigEndian}; versions ${versions.join(' and ')} are read`)
  }
  const tensorCount = await window.u64('the number of tensors')
  const entryCount = await window.u64('the number of metadata entries')
  if (tensorCount > maxTensors) throw new GgufProblem(`damaged: it claims to have ${tensorCount} tensors`)
  if (entryCount > maxEntries) throw new GgufProblem(`damaged: it claims to have ${entryCount} metadata entries`)
  window.mustHold(entryCount * leastEntryBytes + tensorCount * leastTensorBytes, 'the metadata')
  return { tensorCount, entryCount }
}

/** Control characters of a stranger's file stay off the terminal. */
const shown = (bytes: Buffer): string => JSON.stringify(bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '?'))

function alignmentOf({ values }: Metadata): number {
  const alignment = values.get('general.alignment') ?? defaultAlignment
  if (typeof alignment === 'number' && Number.isInteger(alignment) && alignment > 0 && alignment <= maxAlignment) {
    return alignment
  }
  throw new GgufProblem(`damaged: general.alignment is ${alignment}`)
}

/** Those that make tokens of every byte of a text: of byte pairs, and of sentence pieces. */
const wholeTokenizers = ['gpt2', 'llama']

function describe({ values, lengths, longestTokenBytes }: Metadata, tensors: TensorTable): Omit<GgufInfo, 'fileBytes'> {
  const text = (key: string): string | undefined => {
    const value = values.get(key)
    return typeof value === 'string' ? value : undefined
  }
  const list = (key: string): number | number[] | undefined => {
    const value = values.get(key)
    return typeof value === 'number' || Array.isArray(value) ? value : undefined
  }
  const number = (key: string): number | undefined => {
    const value = values.get(key)
    return typeof value === 'number' ? value : undefined
  }
  const architecture = text('general.architecture')
  if (!architecture) throw new GgufProblem('damaged: it does not name its architecture')
  const own = (key: string): string => `${architecture}.${key}`
  const addsBosToken = values.get('tokenizer.ggml.add_bos_token')
  return {
    architecture,
    name: text('general.name') ?? text('general.basename'),
    sizeLabel: text('general.size_label'),
    license: text('general.license'),
    quantization: fileTypes[number('general.file_type') ?? -1] ?? tensors.mainType,
    contextLength: number(own('context_length')),
    blockCount: number(own('block_count')),
    embeddingLength: number(own('embedding_length')),
    headCount: list(own('attention.head_count')),
    kvHeadCount: list(own('attention.head_count_kv')),
    keyLength: number(own('attention.key_length')),
    valueLength: number(own('attention.value_length')),
    vocabularySize: lengths.get('tokenizer.ggml.tokens') ?? number(own('vocab_size')),
    longestTokenBytes:
      wholeTokenizers.includes(text('tokenizer.ggml.model') ?? '') && longestTokenBytes > 0
        ? longestTokenBytes
        : undefined,
    chatTemplate: text('tokenizer.chat_template'),
    pooling: poolingTypes[number(own('pooling_type')) ?? -1],
    isCausal: values.get(own('attention.causal')) !== false,
    bosToken: number('tokenizer.ggml.bos_token_id'),
    eosToken: number('tokenizer.ggml.eos_token_id'),
    addsBosToken: typeof addsBosToken === 'boolean' ? addsBosToken : undefined,
    parameterCount: tensors.parameterCount,
    fileCount: number('split.count') ?? 1,
  }
}

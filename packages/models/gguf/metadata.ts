// The metadata of a GGUF file: what Atoll needs of it is kept, the rest is passed over.
import type { ByteWindow } from './byte-window.ts'
import { GgufProblem } from './problem.ts'
import { valueBytes, valueTypes } from './types.ts'

export interface Metadata {
  values: ReadonlyMap<string, string | number | boolean | number[]>
  /** Lengths of arrays: the list of tokens is only counted. */
  lengths: ReadonlyMap<string, number>
  /** Bytes of the longest token as it is written in the file, which is no shorter than the token. */
  longestTokenBytes: number
}

const maxKeyBytes = 65_535
const maxTextBytes = 1024 * 1024
const maxListItems = 4_096
const maxDepth = 3
/** Arrays of arrays are not used by any known model. */
const maxInnerArrays = 100_000
const wantedTexts =
  /^general\.(architecture|name|basename|size_label|license|type)$|^atoll\.base\.sha256$|^tokenizer\.(chat_template|ggml\.model)$/
const wantedNumbers =
  /^(general\.(file_type|alignment)|split\.count|adapter\.lora\.alpha|tokenizer\.ggml\.(bos_token_id|eos_token_id|add_bos_token))$|^[\w-]{1,64}\.(context_length|block_count|embedding_length|vocab_size|pooling_type|feed_forward_length|rope\.(freq_base|dimension_count|scaling\.factor)|attention\.(head_count|head_count_kv|key_length|value_length|causal|layer_norm_rms_epsilon))$/
const tokenList = 'tokenizer.ggml.tokens'

export async function readMetadata(window: ByteWindow, count: number): Promise<Metadata> {
  const values = new Map<string, string | number | boolean | number[]>()
  const lengths = new Map<string, number>()
  const budget = { innerArrays: maxInnerArrays }
  let longestTokenBytes = 0
  for (let index = 0; index < count; index++) {
    const what = `entry ${index + 1} of ${count} of the metadata`
    const key = await window.text(maxKeyBytes, what)
    const kind = await window.u32(what)
    if (values.has(key) || lengths.has(key)) throw new GgufProblem(`damaged: its metadata has ${key} twice`)
    if (kind === valueTypes.string && wantedTexts.test(key)) values.set(key, await window.text(maxTextBytes, key))
    else if (kind === valueTypes.array) await readArray(key)
    else if (wantedNumbers.test(key)) values.set(key, await readNumber(window, kind, key))
    else await skipValue(window, kind, what)
  }
  return { values, lengths, longestTokenBytes }

  async function readArray(key: string): Promise<void> {
    const what = `the list ${key.slice(0, 100)}`
    const kind = await window.u32(what)
    const length = await window.u64(what)
    if (key === tokenList) lengths.set(key, length)
    if (key === tokenList && kind === valueTypes.string) longestTokenBytes = await skipTexts(window, length, what)
    else if (wantedNumbers.test(key)) {
      if (length > maxListItems) throw new GgufProblem(`damaged: ${what} has ${length} entries`)
      const list: number[] = []
      for (let index = 0; index < length; index++) list.push(Number(await readNumber(window, kind, key)))
      values.set(key, list)
    } else await skipItems(window, { kind, length, what, depth: 1, budget })
  }
}

async function readNumber(window: ByteWindow, kind: number, what: string): Promise<number | boolean> {
  const size = valueBytes[kind]
  if (size === undefined) throw new GgufProblem(`damaged: ${what} must be a number, and is of kind ${kind}`)
  await window.fill(size, what)
  const bytes = window.take(size)
  if (kind === valueTypes.bool) return bytes[0] !== 0
  if (kind === valueTypes.f32) return bytes.readFloatLE()
  if (kind === valueTypes.f64) return bytes.readDoubleLE()
  if (size < 8) return signed.has(kind) ? bytes.readIntLE(0, size) : bytes.readUIntLE(0, size)
  return Number(signed.has(kind) ? bytes.readBigInt64LE() : bytes.readBigUInt64LE())
}

const signed = new Set<number>([valueTypes.i8, valueTypes.i16, valueTypes.i32, valueTypes.i64])

async function skipValue(window: ByteWindow, kind: number, what: string): Promise<void> {
  if (kind === valueTypes.string) return window.skip(await window.u64(what), what)
  window.skip(fixedBytes(kind, what), what)
}

interface Items {
  kind: number
  length: number
  what: string
  depth: number
  budget: { innerArrays: number }
}

async function skipItems(window: ByteWindow, items: Items): Promise<void> {
  const { kind, length, what, depth, budget } = items
  if (kind === valueTypes.string) {
    await skipTexts(window, length, what)
    return
  }
  if (kind !== valueTypes.array) return window.skip(fixedBytes(kind, what) * length, what)
  budget.innerArrays -= length
  if (depth >= maxDepth || budget.innerArrays < 0) throw new GgufProblem(`damaged: ${what} has too many lists inside`)
  for (let index = 0; index < length; index++) {
    const inner = { kind: await window.u32(what), length: await window.u64(what) }
    await skipItems(window, { ...inner, what, depth: depth + 1, budget })
  }
}

/** The bytes of the longest. Hundreds of thousands in every model: it waits only when the window is used up. */
async function skipTexts(window: ByteWindow, length: number, what: string): Promise<number> {
  window.mustHold(length * 8, what)
  let longest = 0
  let left = length
  while (left > 0) {
    const passed = window.passTexts(left)
    longest = Math.max(longest, passed.longest)
    left -= passed.count
    if (left === 0) break
    // The next one goes beyond the window, or has a length that cannot be.
    const bytes = await window.u64(what)
    longest = Math.max(longest, bytes)
    window.skip(bytes, what)
    left--
  }
  return longest
}

function fixedBytes(kind: number, what: string): number {
  const size = valueBytes[kind]
  if (size === undefined) throw new GgufProblem(`damaged: ${what} has a value of kind ${kind}, which does not exist`)
  return size
}

// Models that a person can get by name: small ones that answer well on an ordinary machine, in one file each.
export interface CatalogueModel {
  name: string
  /** On the model hub. */
  repository: string
  file: string
  parameters: string
  quantization: string
  /** Of the file when it was listed here; what counts is what the hub says. */
  bytes: number
  license: string
  contextLength: number
  kind: 'chat' | 'embedding'
  goodFor: string
}

const llama32 = 'Llama 3.2 Community'

/** Smallest first. */
export const catalogue: readonly CatalogueModel[] = [
  {
    name: 'smollm2-135m-instruct',
    repository: 'bartowski/SmolLM2-135M-Instruct-GGUF',
    file: 'SmolLM2-135M-Instruct-Q8_0.gguf',
    parameters: '135M',
    quantization: 'Q8_0',
    bytes: 144_811_360,
    license: 'Apache-2.0',
    contextLength: 8192,
    kind: 'chat',
    goodFor: 'trying things out: very fast, knows little',
  },
  {
    name: 'smollm2-360m-instruct',
    repository: 'HuggingFaceTB/SmolLM2-360M-Instruct-GGUF',
    file: 'smollm2-360m-instruct-q8_0.gguf',
    parameters: '360M',
    quantization: 'Q8_0',
    bytes: 386_404_992,
    license: 'Apache-2.0',
    contextLength: 8192,
    kind: 'chat',
    goodFor: 'short English answers on weak machines',
  },
  {
    name: 'qwen2.5-0.5b-instruct',
    repository: 'Qwen/Qwen2.5-0.5B-Instruct-GGUF',
    file: 'qwen2.5-0.5b-instruct-q4_k_m.gguf',
    parameters: '0.5B',
    quantization: 'Q4_K_M',
    bytes: 491_400_032,
    license: 'Apache-2.0',
    contextLength: 32_768,
    kind: 'chat',
    goodFor: 'a first model: chat, JSON and tools in many languages',
  },
  {
    name: 'tinyllama-1.1b-chat',
    repository: 'TheBloke/TinyLlama-1.1B-Chat-v1.0-GGUF',
    file: 'tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf',
    parameters: '1.1B',
    quantization: 'Q4_K_M',
    bytes: 668_788_096,
    license: 'Apache-2.0',
    contextLength: 2048,
    kind: 'chat',
    goodFor: 'plain English chat, no tools',
  },
  {
    name: 'llama-3.2-1b-instruct',
    repository: 'bartowski/Llama-3.2-1B-Instruct-GGUF',
    file: 'Llama-3.2-1B-Instruct-Q4_K_M.gguf',
    parameters: '1.2B',
    quantization: 'Q4_K_M',
    bytes: 807_694_464,
    license: llama32,
    contextLength: 131_072,
    kind: 'chat',
    goodFor: 'summaries and rewriting of long texts',
  },
  {
    name: 'smollm2-1.7b-instruct',
    repository: 'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    file: 'smollm2-1.7b-instruct-q4_k_m.gguf',
    parameters: '1.7B',
    quantization: 'Q4_K_M',
    bytes: 1_055_609_536,
    license: 'Apache-2.0',
    contextLength: 8192,
    kind: 'chat',
    goodFor: 'good English chat with a free licence',
  },
  {
    name: 'qwen2.5-1.5b-instruct',
    repository: 'Qwen/Qwen2.5-1.5B-Instruct-GGUF',
    file: 'qwen2.5-1.5b-instruct-q4_k_m.gguf',
    parameters: '1.5B',
    quantization: 'Q4_K_M',
    bytes: 1_117_320_736,
    license: 'Apache-2.0',
    contextLength: 32_768,
    kind: 'chat',
    goodFor: 'the best all-round choice with 4 GB of memory',
  },
  {
    name: 'gemma-2-2b-it',
    repository: 'bartowski/gemma-2-2b-it-GGUF',
    file: 'gemma-2-2b-it-Q4_K_M.gguf',
    parameters: '2.6B',
    quantization: 'Q4_K_M',
    bytes: 1_708_582_752,
    license: 'Gemma Terms of Use',
    contextLength: 8192,
    kind: 'chat',
    goodFor: 'well-written prose',
  },
  {
    name: 'llama-3.2-3b-instruct',
    repository: 'bartowski/Llama-3.2-3B-Instruct-GGUF',
    file: 'Llama-3.2-3B-Instruct-Q4_K_M.gguf',
    parameters: '3.2B',
    quantization: 'Q4_K_M',
    bytes: 2_019_377_696,
    license: llama32,
    contextLength: 131_072,
    kind: 'chat',
    goodFor: 'tools and long documents with 8 GB of memory',
  },
  {
    name: 'qwen2.5-3b-instruct',
    repository: 'Qwen/Qwen2.5-3B-Instruct-GGUF',
    file: 'qwen2.5-3b-instruct-q4_k_m.gguf',
    parameters: '3.1B',
    quantization: 'Q4_K_M',
    bytes: 2_104_932_768,
    license: 'Qwen Research (not for commercial use)',
    contextLength: 32_768,
    kind: 'chat',
    goodFor: 'JSON, tools and many languages with 8 GB of memory',
  },
  {
    name: 'phi-3.5-mini-instruct',
    repository: 'bartowski/Phi-3.5-mini-instruct-GGUF',
    file: 'Phi-3.5-mini-instruct-Q4_K_M.gguf',
    parameters: '3.8B',
    quantization: 'Q4_K_M',
    bytes: 2_393_232_672,
    license: 'MIT',
    contextLength: 131_072,
    kind: 'chat',
    goodFor: 'reasoning and mathematics with 8 GB of memory',
  },
  {
    name: 'nomic-embed-text-v1.5',
    repository: 'nomic-ai/nomic-embed-text-v1.5-GGUF',
    file: 'nomic-embed-text-v1.5.Q8_0.gguf',
    parameters: '137M',
    quantization: 'Q8_0',
    bytes: 146_146_432,
    license: 'Apache-2.0',
    contextLength: 2048,
    kind: 'embedding',
    goodFor: 'embeddings of 768 numbers, for search',
  },
]

export const catalogueModel = (name: string): CatalogueModel | undefined =>
  catalogue.find((model) => model.name === name.toLowerCase())

// Names of model files and of the models in them.
import { ModelFileProblem } from './problem.ts'

const safe = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,199}\.gguf$/i
const quantization = /[-._](?:I?Q\d(?:_[0-9A-Z]+)*|T?Q\d_\d|BF16|F16|F32|FP16|MXFP4(?:_MOE)?)$/i

export const isModelFile = (file: string): boolean => safe.test(file)

/** Keeps what strangers call their files inside the folder. */
export function modelFileName(text: string): string {
  if (isModelFile(text)) return text
  const shown = text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
  throw new ModelFileProblem(
    `"${shown}" cannot be the name of a model file: it must end in .gguf and have only letters, digits and . _ + -. Give one with --name FILE.gguf.`,
  )
}

/** `SmolLM2-135M-Instruct-Q8_0.gguf` holds `smollm2-135m-instruct`. */
export const modelName = (file: string): string =>
  file
    .replace(/\.gguf$/i, '')
    .replace(quantization, '')
    .toLowerCase()

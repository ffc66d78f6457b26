// The part of onnxruntime-node that runs a model at once, in the calling thread. Its own interface answers later, which
// would make a promise of every product; so its binding is called itself. The version is pinned.
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface OnnxTensor {
  type: 'float32'
  data: Float32Array
  dims: readonly number[]
}

export interface OnnxSession {
  loadModel(buffer: ArrayBufferLike, from: number, bytes: number, options: object): void
  /** Results are written to the tensors that are given for them. */
  run(given: Record<string, OnnxTensor>, results: Record<string, OnnxTensor>, options: object): unknown
}

export interface Onnx {
  InferenceSession: new () => OnnxSession
}

const require = createRequire(import.meta.url)
const binding = 'onnxruntime_binding.node'
let loaded: { onnx: Onnx | undefined } | undefined

/** Undefined where it does not run: it comes compiled for some machines. */
export function loadOnnx(): Onnx | undefined {
  loaded ??= { onnx: loadCopy() }
  return loaded.onnx
}

/**
 * The binding keeps what belongs to one thread where all threads would share it, and breaks when one of them ends. So
 * each thread has a copy of its own, which is there twice as far as the system knows. The library below it is one.
 */
function loadCopy(): Onnx | undefined {
  let folder: string | undefined
  try {
    const root = dirname(require.resolve('onnxruntime-node/package.json'))
    const from = join(root, 'bin/napi-v3', process.platform, process.arch)
    folder = mkdtempSync(join(tmpdir(), 'atoll-onnx-'))
    for (const name of readdirSync(from)) {
      if (name === binding) copyFileSync(join(from, name), join(folder, name))
      else symlinkSync(join(from, name), join(folder, name))
    }
    const module = { exports: {} }
    process.dlopen(module, join(folder, binding))
    return module.exports as Onnx
  } catch {
    return undefined
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

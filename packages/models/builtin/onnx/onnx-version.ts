import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Loads the engine that computes the networks, which fails on machines that it was not built for. */
export function onnxVersion(): string {
  require('onnxruntime-node')
  return (require('onnxruntime-node/package.json') as { version: string }).version
}

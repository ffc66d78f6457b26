// What the built-in models for speech need on this machine.
import { createRequire } from 'node:module'
import type { Check } from './check.ts'

const require = createRequire(new URL('../../packages/models/package.json', import.meta.url))

/** Opens nothing but the engine: whether it can be loaded here is what goes wrong on unusual machines. */
export function modelChecks(): Check[] {
  const check = { what: 'onnxruntime', need: 'transcription, realtime' }
  try {
    require('onnxruntime-node')
    const { version } = require('onnxruntime-node/package.json') as { version: string }
    return [{ ...check, state: 'ok', detail: version }]
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n')
    return [{ ...check, state: 'optional', detail: `${reason}; delete node_modules and run ./atoll up again` }]
  }
}

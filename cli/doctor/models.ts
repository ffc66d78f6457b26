// What the built-in models for speech need on this machine.
import { onnxVersion } from '@atoll/models/builtin/onnx/onnx-version'
import type { Check } from './check.ts'

export function modelChecks(): Check[] {
  const check = { what: 'onnxruntime', need: 'transcription, realtime' }
  try {
    return [{ ...check, state: 'ok', detail: onnxVersion() }]
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n')
    return [{ ...check, state: 'optional', detail: `${reason}; delete node_modules and run ./atoll up again` }]
  }
}

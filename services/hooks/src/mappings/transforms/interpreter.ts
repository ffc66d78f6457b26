// QuickJS as WebAssembly, with memory that never grows: growing takes long, and there is no more to be had than this.
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { transformLimits } from './limits.ts'

/** As far as it is needed here: the types of Node have none. */
declare const WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => object }

const pageBytes = 65_536
/** Of the interpreter itself, and what is left unused between pieces. */
const ownBytes = 16 * 2 ** 20
const pages = (transformLimits.memoryBytes + ownBytes) / pageBytes

export function openInterpreter(): Promise<QuickJSWASMModule> {
  const wasmMemory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  // The variant's types are those of its CommonJS form.
  return newQuickJSWASMModuleFromVariant(newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory }))
}

// Runs in a thread of its own: transforms, one after the other.
import { stripTypeScriptTypes } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { QuickJSWASMModule } from 'quickjs-emscripten-core'
import { openInterpreter } from './interpreter.ts'
import { ModuleFault } from './module-fault.ts'
import {
  type SandboxAnswer,
  type SandboxOutcome,
  type SandboxQuestion,
  type SandboxTask,
  threadReady,
} from './protocol.ts'
import { callExport, findExport } from './sandbox.ts'

const interpreter = await openInterpreter()

parentPort?.on('message', ({ id, ...task }: SandboxQuestion) => {
  parentPort?.postMessage({ id, ...answer(interpreter, task) } satisfies SandboxAnswer)
})
parentPort?.postMessage(threadReady)

function answer(quickjs: QuickJSWASMModule, task: SandboxTask): SandboxOutcome & { isSpoiled: boolean } {
  try {
    return { ...perform(quickjs, task), isSpoiled: false }
  } catch (error) {
    if (error instanceof ModuleFault) return { kind: 'problem', message: error.message, isSpoiled: false }
    // The interpreter itself gave up: its memory is in no state to be used again.
    return { kind: 'problem', message: 'is more than the sandbox can run', isSpoiled: true }
  }
}

function perform(quickjs: QuickJSWASMModule, task: SandboxTask): SandboxOutcome {
  if (task.kind === 'call') {
    const json = callExport(quickjs, task)
    return json === undefined ? { kind: 'result' } : { kind: 'result', json }
  }
  const code = task.isTypeScript ? withoutTypes(task.source) : task.source
  return { kind: 'prepared', code, exportName: findExport(quickjs, code, task.exportNames) }
}

function withoutTypes(source: string): string {
  try {
    return stripTypeScriptTypes(source, { mode: 'transform' })
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n')
    throw new ModuleFault(`cannot be read as TypeScript: ${line.slice(0, 300)}`)
  }
}

// What runs and responses work with alike: the platform's own tools, and the sandbox for code.
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import { createPyodideSandbox } from '@atoll/sandbox/pyodide/create-pyodide-sandbox'
import type { ProjectCaller } from '../callers.ts'
import type { Files } from '../resources/files/service.ts'
import type { VectorStores } from '../resources/vector-stores/service.ts'
import { CodeInterpreter } from './tools/code-interpreter.ts'
import { FileSearch } from './tools/file-search.ts'
import type { HostedTool } from './tools/hosted-tool.ts'

interface Parts {
  files: Files
  vectorStores: VectorStores
  /** Of the code interpreter. */
  sessionBegan(caller: ProjectCaller): void
}

export interface ToolLoop {
  tools: readonly HostedTool[]
  /** Context lengths that models have told by refusing, by the public id. */
  contextLengths: Map<string, number>
  close(): Promise<void>
}

export function createToolLoop(kernel: Kernel, { files, vectorStores, sessionBegan }: Parts): ToolLoop {
  const { db, log, blobs } = kernel
  const sandbox = createPyodideSandbox({ log, cacheFolder: join(kernel.folder, 'sandbox') })
  return {
    tools: [new FileSearch({ vectorStores }), new CodeInterpreter({ sandbox, db, blobs, files, sessionBegan })],
    contextLengths: new Map(),
    close: () => sandbox.close(),
  }
}

// Empties the objects through which JavaScript speaks to Pyodide. Python holds some of them, hidden; what is taken out
// here cannot be found by looking.
import type { PyodideAPI } from 'pyodide'
import type { FileSystem } from './emscripten.ts'
import { printNoMore } from './printed.ts'

/** Emscripten's number for "Network is unreachable". */
const networkUnreachable = 40

interface Inner {
  _api: { config: Record<string, unknown>; fatal_error(error: unknown): void }
  _module: { SOCKFS: { websocket_sock_ops: Record<string, () => never> } }
}

export function closeApi(python: PyodideAPI, files: FileSystem): void {
  const inner = python as unknown as Inner
  const { config } = inner._api
  // The snapshot's bytes are not needed any more either: 30 MB.
  for (const name of ['_loadSnapshot', 'jsglobals', 'env']) delete config[name]
  const { fatal_error } = inner._api
  inner._api.fatal_error = (error) => {
    // It would print frames of ours.
    printNoMore()
    fatal_error(error)
  }
  const unreachable = (): never => {
    throw new files.ErrnoError(networkUnreachable)
  }
  const { websocket_sock_ops } = inner._module.SOCKFS
  for (const name of ['connect', 'bind', 'listen', 'sendmsg']) websocket_sock_ops[name] = unreachable
  // Only files in memory: no way to mount a folder of the machine.
  for (const name of Object.keys(files.filesystems)) if (name !== 'MEMFS') delete files.filesystems[name]
  for (const name of Object.getOwnPropertyNames(python)) Reflect.deleteProperty(python, name)
}

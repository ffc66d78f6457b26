// All runtimes by name. Each is made when it is first used, and its code loaded only then: a server that runs no
// model carries none.
import type { Log } from '@atoll/kernel/telemetry/log'
import { missingChatModel, newestModelFile } from './chat-model.ts'
import { allRuntimes, chatRuntime, RuntimeSettings } from './config.ts'
import { ModelProblem } from './problem.ts'
import type { Runtime, RuntimeLoad } from './runtime.ts'
import { createStarter } from './runtime-kinds.ts'

export interface Runtimes {
  /** Undefined: there is none of this name. */
  get(name: string): Promise<Runtime | undefined>
  /** How busy those are that can tell. */
  loads(): ({ name: string } & RuntimeLoad)[]
  close(): Promise<void>
}

export interface RuntimeNeeds {
  log: Log
  /** GGUF files that were downloaded. */
  modelsFolder: string
  /** The GGUF file of the chat model. Absent: the newest of the models folder. */
  chatModel: string | undefined
}

export function createRuntimes(configured: Record<string, RuntimeSettings>, needs: RuntimeNeeds): Runtimes {
  const settings = allRuntimes(configured)
  const start = createStarter(needs.log)
  const ready = new Map<string, Runtime>()
  const made = new Map<string, Promise<Runtime>>()
  let closed = false

  const make = async (name: string): Promise<Runtime> => {
    const known = settings[name]
    if (known !== undefined) return start(known)
    const file = needs.chatModel ?? (await newestModelFile(needs.modelsFolder))
    if (file === undefined) throw missingChatModel()
    return start(RuntimeSettings.parse({ kind: 'llama', file }))
  }

  return {
    async get(name) {
      if (closed) throw new ModelProblem('The server is being stopped.', { kind: 'failed' })
      const known = made.get(name)
      if (known !== undefined) return known
      if (name !== chatRuntime && !Object.hasOwn(settings, name)) return undefined
      const runtime = make(name)
      made.set(name, runtime)
      // What was missing may be there at the next try.
      runtime.then(
        (value) => ready.set(name, value),
        () => made.delete(name),
      )
      return runtime
    },
    loads: () => [...ready].flatMap(([name, { load }]) => (load === undefined ? [] : [{ name, ...load() }])),
    async close() {
      closed = true
      const running = [...made.values()]
      made.clear()
      await Promise.all(running.map((runtime) => runtime.then((value) => value.close()).catch(() => undefined)))
    },
  }
}

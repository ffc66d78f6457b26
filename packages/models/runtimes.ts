// All runtimes by name. Each is made when it is first used, and its code loaded only then: a server that runs no
// model carries none.
import type { Log } from '@atoll/kernel/telemetry/log'
import { checkOwnChatModel, newestModelFile, ownChatModel } from './chat-model.ts'
import { allRuntimes, chatRuntime, ownChatRuntime, RuntimeSettings } from './config.ts'
import { ModelProblem } from './problem.ts'
import type { Runtime, RuntimeLoad } from './runtime.ts'
import { createStarter } from './runtime-kinds.ts'

export interface Runtimes {
  /** Undefined: there is none of this name. */
  get(name: string): Promise<Runtime | undefined>
  /** The GGUF file that a runtime answers with, where it is one. */
  modelFile(name: string): Promise<string | undefined>
  /** How busy those are that can tell. */
  loads(): ({ name: string } & RuntimeLoad)[]
  /** All there are, also those that nobody has used yet. */
  describe(): Promise<RuntimeState[]>
  /** Those of the configuration that cannot be served, as far as model files tell it: costs no loading. */
  check(): Promise<UnservableRuntime[]>
  close(): Promise<void>
}

export interface UnservableRuntime {
  name: string
  /** For whoever runs the server: what is wrong, and what to do. */
  message: string
}

export interface RuntimeState {
  name: string
  kind: RuntimeSettings['kind']
  /** The path of its GGUF file, where it has one. */
  file: string | undefined
  /** Why it cannot be served, as far as its file tells it. */
  problem: string | undefined
  /** Undefined: it was not used yet, or cannot tell. */
  load: RuntimeLoad | undefined
}

export interface RuntimeNeeds {
  log: Log
  /** GGUF files that were downloaded. */
  modelsFolder: string
  /** The GGUF file of the chat model. Absent: the newest of the models folder, else the built-in one. */
  chatModel: string | undefined
  /** What batches may hold of each model's places. Absent: half. */
  backgroundShare?: number | undefined
  /** The operator's program for AAC: its name or its path. */
  ffmpeg?: string | undefined
}

export function createRuntimes(configured: Record<string, RuntimeSettings>, needs: RuntimeNeeds): Runtimes {
  const settings = allRuntimes(configured)
  const start = createStarter(needs)
  const ready = new Map<string, Runtime>()
  const made = new Map<string, Promise<Runtime>>()
  let closed = false

  const allNames = [...new Set([chatRuntime, ownChatRuntime, ...Object.keys(settings)])]
  const isKnown = (name: string): boolean => allNames.includes(name)

  const settingsOf = (name: string) => findSettings(name, settings, needs)

  const make = async (name: string): Promise<Runtime> => {
    const found = await settingsOf(name)
    return found === undefined ? once(ownChatRuntime) : start(found)
  }

  const describeOne = async (name: string): Promise<RuntimeState> => {
    const own = await settingsOf(name)
    const [unservable] = await checkRuntime(name, settingsOf, async () => checkFile(await ownChatModel()))
    const runtime = await made.get(own === undefined ? ownChatRuntime : name)?.catch(() => undefined)
    return { name, ...kindOf(own ?? (await ownChatModel())), problem: unservable?.message, load: runtime?.load?.() }
  }

  const once = (name: string): Promise<Runtime> => {
    const known = made.get(name)
    if (known !== undefined) return known
    const runtime = make(name)
    made.set(name, runtime)
    // What was missing may be there at the next try.
    runtime.then(
      (value) => [...ready.values()].includes(value) || ready.set(name, value),
      () => made.delete(name),
    )
    return runtime
  }

  return {
    async get(name) {
      const known = ready.get(name)
      if (known !== undefined && !closed) return known
      if (closed) throw new ModelProblem('The server is being stopped.', { kind: 'failed' })
      return isKnown(name) ? once(name) : undefined
    },
    async modelFile(name) {
      const found = isKnown(name) ? ((await settingsOf(name)) ?? (await ownChatModel())) : undefined
      return found?.kind === 'llama' ? found.file : undefined
    },
    loads: () => [...ready].flatMap(([name, { load }]) => (load === undefined ? [] : [{ name, ...load() }])),
    describe: () => Promise.all(allNames.map(describeOne)),
    async check() {
      const names = new Set([chatRuntime, ...Object.keys(settings)])
      const checks = [...names].map((name) => checkRuntime(name, settingsOf, () => checkOwnChatModel()))
      return (await Promise.all(checks)).flat()
    },
    async close() {
      closed = true
      const started = await Promise.allSettled(made.values())
      made.clear()
      const running = new Set(started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
      await Promise.all([...running].map((runtime) => runtime.close().catch(() => undefined)))
    },
  }
}

/** Undefined: the chat model is the one that Atoll brings along. */
async function findSettings(
  name: string,
  settings: Record<string, RuntimeSettings>,
  { chatModel, modelsFolder }: RuntimeNeeds,
): Promise<RuntimeSettings | undefined> {
  const known = settings[name]
  if (known !== undefined) return known
  if (name === ownChatRuntime) return ownChatModel()
  const file = chatModel ?? (await newestModelFile(modelsFolder))
  return file === undefined ? undefined : RuntimeSettings.parse({ kind: 'llama', file })
}

/** `checkOwn` is asked where the chat model is the one that Atoll brings along. */
async function checkRuntime(
  name: string,
  settingsOf: (name: string) => Promise<RuntimeSettings | undefined>,
  checkOwn: () => Promise<void>,
): Promise<UnservableRuntime[]> {
  try {
    const found = await settingsOf(name)
    await (found === undefined ? checkOwn() : checkFile(found))
    return []
  } catch (error) {
    return [{ name, message: (error as Error).message }]
  }
}

const kindOf = (settings: RuntimeSettings): Pick<RuntimeState, 'kind' | 'file'> => ({
  kind: settings.kind,
  file: settings.kind === 'llama' ? settings.file : undefined,
})

async function checkFile(settings: RuntimeSettings): Promise<void> {
  if (settings.kind !== 'llama') return
  const { checkModelFile } = await import('./builtin/llama/model-facts.ts')
  await checkModelFile(settings)
}

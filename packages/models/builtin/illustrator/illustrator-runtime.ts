// The built-in illustrator: composes scenes of drawn things. It runs in a process that is started when needed.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../../call.ts'
import type { DrawAnswer, DrawRequest } from '../../draw.ts'
import { SharedModel } from '../../process/shared-model.ts'
import type { Runtime } from '../../runtime.ts'
import type { IllustratorAnswer, IllustratorQuestion } from './protocol.ts'

const modelName = 'atoll-illustrator-1'
const defaultIdleMs = 5 * 60_000
/** The process draws one after the other; the next is there when it is done. */
const places = 2
const maxWaiting = 256

interface IllustratorOptions {
  log: Log
  /** Unused for so long, it is unloaded. */
  idleMs?: number
}

export function createIllustratorRuntime({ log, idleMs = defaultIdleMs }: IllustratorOptions): Runtime {
  const model = new SharedModel<IllustratorQuestion, IllustratorAnswer>({
    entry: new URL('./illustrator-process.ts', import.meta.url),
    isUnhurried: true,
    what: 'The illustrator',
    places,
    maxWaiting,
    idleMs,
    log,
  })
  const draw = async ({ count, user: _, ...request }: DrawRequest, call: Call): Promise<DrawAnswer> => {
    const pictures: IllustratorAnswer[] = []
    for (let number = 0; number < count; number++) pictures.push(await model.ask({ ...request, number }, call))
    return { model: modelName, pictures }
  }
  return { drawing: { draw }, close: () => model.close() }
}

// The program of a model's process: loads one model and generates what it is asked to.
import { ModelProblem } from '../../problem.ts'
import { answerPings, isPing, type Ping } from '../../process/heartbeat.ts'
import { loadAddon } from './addon.ts'
import { loadModel } from './loaded-model.ts'
import type { Command, Event, LoadOptions } from './protocol.ts'
import { Scheduler } from './scheduler.ts'

/** Callers see it: what the binding and the system say names inner parts and folders, and goes to the log. */
function reasonOf(error: unknown): string {
  if (error instanceof ModelProblem) return error.message
  process.stderr.write(`${(error as Error).stack}\n`)
  return 'it could not be loaded; the log of the server says why'
}

const send = (events: Event[]): void => void process.send?.(events, undefined, undefined, () => {})

// Its user went away: so does it.
process.on('disconnect', () => process.exit(0))
answerPings()

try {
  const options = JSON.parse(process.argv[2] ?? '') as LoadOptions
  const addon = await loadAddon((text) => process.stderr.write(`${text}\n`))
  const loaded = await loadModel(addon, options)
  const scheduler = new Scheduler(loaded, send)
  process.on('message', (command: Command | Ping) => {
    if (isPing(command)) return
    if (command.type === 'generate') scheduler.add(command.id, command.options)
    else scheduler.cancel(command.id)
  })
  const { contextLength, slots, vocabularySize } = loaded
  send([{ type: 'loaded', model: { contextLength, slots, vocabularySize } }])
} catch (error) {
  send([{ type: 'load-failed', message: reasonOf(error) }])
}

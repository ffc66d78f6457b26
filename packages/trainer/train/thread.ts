// The program of a thread: takes its rows through the model and back.
import { parentPort, workerData } from 'node:worker_threads'
import { Pass } from '../step/pass.ts'
import { sumOf } from '../step/row.ts'
import { waitWhilePaused } from './pause.ts'
import type { ThreadAnswer, ThreadData, ThreadTask } from './thread-messages.ts'

const { options, parameters, pause } = workerData as ThreadData
const pass = new Pass(options, pause && (() => waitWhilePaused(pause)))

const say = (answer: ThreadAnswer): void => parentPort?.postMessage(answer)
say({ kind: 'ready', gradients: pass.gradients })

parentPort?.on('message', (task: ThreadTask) => {
  if (task.kind === 'end') return parentPort?.close()
  pass.parameters.set(parameters)
  if (task.kind === 'evaluate') return say({ kind: 'done', result: sumOf(task.rows.map((row) => pass.evaluate(row))) })
  pass.gradients.fill(0)
  for (const row of task.reminders) pass.remind(row, task.reminderScale)
  say({ kind: 'done', result: sumOf(task.rows.map((row) => pass.learn(row, task.scale))) })
})

// A part of the benchmark that needs machines: run in network and process namespaces of its own.
import { fileURLToPath } from 'node:url'
import { runIsolated } from '../../cli/chaos/isolated.ts'
import type { IsolatedPart } from './options.ts'

const program = fileURLToPath(new URL('./run-part.ts', import.meta.url))

export async function measureIsolated(part: IsolatedPart): Promise<void> {
  const code = await runIsolated(program, [JSON.stringify(part)])
  if (code !== 0) throw new Error(`The part ${part.part} of this benchmark ended with ${code}.`)
}

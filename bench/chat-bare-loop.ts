// node-llama-cpp as its own users run it: one sequence, one loop, nothing around it. In a process of its own.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installPeer } from './peers.ts'

const run = promisify(execFile)

const program = `
import { getLlama } from 'node-llama-cpp'
const [file, count, threads] = process.argv.slice(2)
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' })
const model = await llama.loadModel({ modelPath: file })
const context = await model.createContext({ contextSize: 2048, sequences: 1, threads: Number(threads), batchSize: 512 })
const sequence = context.getSequence()
const options = { temperature: 1, topK: 0, topP: 1, seed: 5, yieldEogToken: true }
let from = 0, tokens = 0
for await (const _ of sequence.evaluate(model.tokenize('word word word word word'), options)) {
  if (tokens++ === 0) from = performance.now()
  if (tokens > Number(count)) break
}
console.log((tokens - 1) / (performance.now() - from) * 1000)
process.exit(0)
`

/** Tokens per second. */
export async function bareLoop(file: string, tokens: number): Promise<number> {
  const folder = await installPeer('node-llama-cpp', '3.22.1', { with: { '@node-llama-cpp/linux-x64': '3.22.1' } })
  const script = join(folder, 'bare-loop.mjs')
  await writeFile(script, program)
  const threads = Math.max(1, availableParallelism() - 1)
  const { stdout } = await run(process.execPath, [script, file, String(tokens), String(threads)])
  return Number(stdout)
}

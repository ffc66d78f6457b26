// The worker of grammars, but slow to start, and with one tool that it never comes to an end with.
import { parentPort } from 'node:worker_threads'
import type { BuildQuestion, BuildReady } from '../constraint-builder.ts'
import { constraintsOf } from '../constraints.ts'

const startMs = 1_500
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, startMs)

parentPort?.on('message', ({ id, request, template }: BuildQuestion) => {
  while (request.tools[0]?.name === 'endless');
  parentPort?.postMessage({ id, constraints: constraintsOf(request, template) })
})
parentPort?.postMessage({ isReady: true } satisfies BuildReady)

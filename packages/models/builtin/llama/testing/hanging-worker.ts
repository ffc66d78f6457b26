// The worker of grammars, but for one tool that it never comes to an end with.
import { parentPort } from 'node:worker_threads'
import type { BuildQuestion } from '../constraint-builder.ts'
import { constraintsOf } from '../constraints.ts'

parentPort?.on('message', ({ id, request, template }: BuildQuestion) => {
  while (request.tools[0]?.name === 'endless');
  parentPort?.postMessage({ id, constraints: constraintsOf(request, template) })
})

// Builds grammars off the API's event loop: a large schema takes long, a hostile one longer.
import { parentPort } from 'node:worker_threads'
import { stepBack } from '@atoll/kernel/turns/step-back'
import { ModelProblem } from '../../problem.ts'
import type { BuildAnswer, BuildQuestion, BuildReady } from './constraint-builder.ts'

// Requests and models go before it, also while it loads its code.
stepBack()
const { constraintsOf } = await import('./constraints.ts')

parentPort?.on('message', ({ id, request, template }: BuildQuestion) => {
  parentPort?.postMessage(answer(id, () => constraintsOf(request, template)))
})
parentPort?.postMessage({ isReady: true } satisfies BuildReady)

function answer(id: number, build: () => BuildAnswer['constraints']): BuildAnswer {
  try {
    return { id, constraints: build() }
  } catch (error) {
    const detail = error instanceof ModelProblem ? error.detail : { kind: 'failed' as const }
    return { id, problem: { message: (error as Error).message, detail } }
  }
}

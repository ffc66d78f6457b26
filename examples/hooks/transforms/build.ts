// Makes a task of a build that failed. What succeeded is skipped: the sender gets 204, and no agent is woken.

interface Build {
  job: string
  state: 'passed' | 'failed'
  steps: { name: string; ok: boolean }[]
}

export function transform({ payload }: { payload: Build }) {
  if (payload.state === 'passed') return null
  const failed = payload.steps.filter((step) => !step.ok).map((step) => step.name)
  return {
    name: `Build ${payload.job}`,
    sessionKey: `hook:build:${payload.job}`,
    message: `The build ${payload.job} has failed in the step ${failed.join(', ')}. Which step has failed?`,
  }
}

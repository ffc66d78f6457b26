// A whole engine that has begun a swarm.
import { findProgram } from '@atoll/kernel/programs/find-program'
import type { Answer } from '../../testing/ask-json.ts'
import type { WholeEngine } from '../../testing/start-whole-engine.ts'

export const hasEtcd = findProgram('etcd') !== undefined
if (!hasEtcd) console.warn('Tests with a swarm are skipped: apt-get install etcd-server')

export const initBody = { ListenAddr: '127.0.0.1:2377', AdvertiseAddr: '127.0.0.1' }

/** Of an engine that is there already. */
export async function beginSwarm(engine: WholeEngine, body: object = {}): Promise<string> {
  const { status, body: answer } = await engine.call('POST', '/swarm/init', { ...initBody, ...body })
  if (status !== 200) throw new Error(`no swarm: ${status} ${JSON.stringify(answer)}`)
  return answer
}

/** Repeats a question until the answer is right. */
export async function until(
  engine: WholeEngine,
  path: string,
  isRight: (body: Answer['body']) => boolean,
  timeoutMs = 60_000,
): Promise<Answer['body']> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const { body } = await engine.call('GET', path)
    if (isRight(body)) return body
    if (Date.now() > deadline) throw new Error(`${path} still says ${JSON.stringify(body).slice(0, 2_000)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

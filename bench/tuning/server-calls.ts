// The few calls of the API that the benchmark of fine-tuning makes, with nothing but fetch.
import { setTimeout } from 'node:timers/promises'
import type { FineTuningJob } from '@atoll/platform/resources/fine-tuning/schema'
import type { AtollServer } from '../atoll-server.ts'

type Server = Pick<AtollServer, 'url' | 'apiKey'>

const pollMs = 500

async function call<Answer>({ url, apiKey }: Server, path: string, body?: object | FormData): Promise<Answer> {
  const isForm = body instanceof FormData
  const response = await fetch(`${url}/v1/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && !isForm && { 'content-type': 'application/json' }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

export async function addExamples(server: Server, examples: readonly object[]): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'fine-tune')
  form.set('file', new Blob([examples.map((example) => JSON.stringify(example)).join('\n')]), 'examples.jsonl')
  return (await call<{ id: string }>(server, 'files', form)).id
}

export const beginJob = (server: Server, fields: object): Promise<FineTuningJob> =>
  call(server, 'fine_tuning/jobs', { model: 'atoll-chat', seed: 1, ...fields })

export const findJob = (server: Server, id: string): Promise<FineTuningJob> => call(server, `fine_tuning/jobs/${id}`)

export async function endOfJob(server: Server, id: string): Promise<FineTuningJob & { fine_tuned_model: string }> {
  for (;;) {
    const job = await findJob(server, id)
    const { fine_tuned_model } = job
    if (job.status === 'succeeded' && fine_tuned_model !== null) return { ...job, fine_tuned_model }
    if (job.status === 'failed' || job.status === 'cancelled')
      throw new Error(`The job ${job.status}: ${job.error?.message}`)
    await setTimeout(pollMs)
  }
}

export async function steps(server: Server, id: string): Promise<number> {
  const page = await call<{ data: { data: { step?: number } | null }[] }>(
    server,
    `fine_tuning/jobs/${id}/events?limit=5`,
  )
  return Math.max(0, ...page.data.map(({ data }) => data?.step ?? 0))
}

export const cancelJob = (server: Server, id: string): Promise<unknown> =>
  call(server, `fine_tuning/jobs/${id}/cancel`, {})

interface Message {
  content: string | null
  tool_calls?: { function: { name: string; arguments: string } }[]
}

export async function ask(server: Server, body: object): Promise<{ message: Message; tokens: number }> {
  const { choices, usage } = await call<{ choices: { message: Message }[]; usage: { completion_tokens: number } }>(
    ...([server, 'chat/completions', { temperature: 0, max_tokens: 60, ...body }] as const),
  )
  const message = choices[0]?.message
  if (message === undefined) throw new Error('An answer without a choice')
  return { message, tokens: usage.completion_tokens }
}

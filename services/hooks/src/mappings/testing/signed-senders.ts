// Senders that sign as Slack and GitHub do.
import { createHmac } from 'node:crypto'
import type { Answer, HooksServer } from '../../testing/hooks-server.ts'

export const slackSecret = 'signing-secret-of-the-app'
export const githubSecret = 'secret-of-the-repository'

const sum = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')
const form = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' }
const json = { authorization: '', 'content-type': 'application/json' }

type Post = Pick<HooksServer, 'post'>

/** Fields are sent as a form, anything else as JSON. */
export function fromSlack(
  { post }: Post,
  body: URLSearchParams | object,
  { secret = slackSecret, path = 'slack' } = {},
): Promise<Answer> {
  const isForm = body instanceof URLSearchParams
  const text = isForm ? body.toString() : JSON.stringify(body)
  const at = Math.floor(Date.now() / 1000)
  const signature = `v0=${sum(secret, `v0:${at}:${text}`)}`
  const signed = { 'x-slack-request-timestamp': String(at), 'x-slack-signature': signature }
  return post(`/hooks/${path}`, text, { ...(isForm ? form : json), ...signed })
}

let deliveries = 0

/** `asForm`: as a repository does that is set to `application/x-www-form-urlencoded`. */
export function fromGithub({ post }: Post, event: string, body: object, asForm = false): Promise<Answer> {
  deliveries += 1
  const text = asForm ? new URLSearchParams({ payload: JSON.stringify(body) }).toString() : JSON.stringify(body)
  const named = { 'x-github-event': event, 'x-github-delivery': `delivery-${deliveries}` }
  const signature = `sha256=${sum(githubSecret, text)}`
  return post('/hooks/github', text, { ...(asForm ? form : json), ...named, 'x-hub-signature-256': signature })
}

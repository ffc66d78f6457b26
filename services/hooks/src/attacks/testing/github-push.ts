// A push as GitHub tells of it, signed by GitHub's own library.
import { sign } from '@octokit/webhooks-methods'

export interface SignedPush {
  body: string
  headers: Record<string, string>
}

export async function githubPush(secret: string, deliveryId: string, message: string): Promise<SignedPush> {
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    repository: { full_name: 'reef/lighthouse' },
    pusher: { name: 'ada' },
    commits: [{ id: '5f1c9b7', message, author: { name: 'Ada' } }],
  })
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': deliveryId,
    'x-hub-signature-256': await sign(secret, body),
  }
  return { body, headers }
}

// Slack, or what speaks like it. It answers 200 also when it refuses.
import { createHash } from 'node:crypto'
import { type Channel, NotSent } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { SendRequest } from '../net/guarded-request.ts'
import { judgeAnswer } from '../net/judge-answer.ts'
import { splitText } from '../split-text.ts'

/** Longer texts are cut by Slack. */
const maxCharacters = 4_000
const passing = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'ratelimited'])

export const slackChannel = ({ url, token }: SettingsOf<'slack'>, send: SendRequest): Channel => ({
  kind: 'slack',
  deduplicates: true,
  problemOf: (to) =>
    /^[#@]?[\w.-]{1,80}$/.test(to) ? undefined : 'a Slack recipient is a channel or user id, or #name',
  split: (text) => splitText(text, maxCharacters),
  async send({ to, text, id }, signal) {
    const answer = await send({
      method: 'POST',
      url: new URL('/api/chat.postMessage', url).href,
      headers: { authorization: `Bearer ${token}` },
      body: {
        channel: to,
        text: escaped(text),
        client_msg_id: uuidOf(id),
        mrkdwn: false,
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
      },
      signal,
    })
    judgeAnswer('Slack', answer)
    const { ok, error } = (answer.json ?? {}) as { ok?: unknown; error?: unknown }
    if (ok === true) return
    const reason = typeof error === 'string' ? error.slice(0, 100) : 'no reason'
    throw new NotSent(`Slack refused it: ${reason}`, { forGood: !passing.has(reason) })
  },
  close: async () => undefined,
})

/** So that no text can call a whole channel. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The form Slack asks for. */
function uuidOf(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

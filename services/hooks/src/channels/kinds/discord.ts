// Discord, or what speaks like it.
import { createHash } from 'node:crypto'
import type { Channel } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { SendRequest } from '../net/guarded-request.ts'
import { judgeAnswer } from '../net/judge-answer.ts'
import { splitText } from '../split-text.ts'

const maxCharacters = 2_000
const maxNonce = 25
const withoutPreviews = 4

export const discordChannel = ({ url, token }: SettingsOf<'discord'>, send: SendRequest): Channel => ({
  kind: 'discord',
  deduplicates: true,
  problemOf: (to) => (/^\d{1,20}$/.test(to) ? undefined : 'a Discord recipient is the number of a channel'),
  split: (text) => splitText(text, maxCharacters),
  async send({ to, text, id }, signal) {
    const answer = await send({
      method: 'POST',
      url: new URL(`/api/v10/channels/${to}/messages`, url).href,
      headers: { authorization: `Bot ${token}` },
      body: {
        content: text,
        nonce: createHash('sha256').update(id).digest('base64url').slice(0, maxNonce),
        enforce_nonce: true,
        allowed_mentions: { parse: [] },
        flags: withoutPreviews,
      },
      signal,
    })
    const { retry_after: seconds } = (answer.json ?? {}) as { retry_after?: unknown }
    judgeAnswer('Discord', answer, typeof seconds === 'number' ? seconds * 1000 : undefined)
  },
  close: async () => undefined,
})

// Telegram, or what speaks like it. It cannot tell a message from its repetition.
import type { Channel } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { SendRequest } from '../net/guarded-request.ts'
import { judgeAnswer } from '../net/judge-answer.ts'
import { splitText } from '../split-text.ts'

const maxCharacters = 4_096

export const telegramChannel = ({ url, token }: SettingsOf<'telegram'>, send: SendRequest): Channel => ({
  kind: 'telegram',
  deduplicates: false,
  problemOf: (to) =>
    /^(-?\d{1,20}|@\w{1,64})$/.test(to) ? undefined : 'a Telegram recipient is the number of a chat, or @name',
  split: (text) => splitText(text, maxCharacters),
  async send({ to, text }, signal) {
    const answer = await send({
      method: 'POST',
      url: new URL(`/bot${token}/sendMessage`, url).href,
      body: { chat_id: to, text, link_preview_options: { is_disabled: true } },
      signal,
    })
    const { parameters } = (answer.json ?? {}) as { parameters?: { retry_after?: unknown } }
    const seconds = parameters?.retry_after
    judgeAnswer('Telegram', answer, typeof seconds === 'number' ? seconds * 1000 : undefined)
  },
  close: async () => undefined,
})

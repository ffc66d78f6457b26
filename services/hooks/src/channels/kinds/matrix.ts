// Matrix: a transaction id makes a second sending of the same part harmless.
import { type Channel, NotSent } from '../channel.ts'
import type { SettingsOf } from '../config.ts'
import type { SendRequest } from '../net/guarded-request.ts'
import { judgeAnswer } from '../net/judge-answer.ts'
import { splitText } from '../split-text.ts'

/** Of an event's 64 KiB, with room for escapes and signatures. */
const maxBytes = 16_000

export function matrixChannel({ homeserver, accessToken }: SettingsOf<'matrix'>, send: SendRequest): Channel {
  const headers = { authorization: `Bearer ${accessToken}` }
  const at = (...parts: string[]): string =>
    new URL(`/_matrix/client/v3/${parts.map(encodeURIComponent).join('/')}`, homeserver).href

  const roomOf = async (to: string, signal: AbortSignal): Promise<string> => {
    if (to.startsWith('!')) return to
    const answer = await send({ method: 'GET', url: at('directory', 'room', to), headers, signal })
    judgeAnswer('Matrix', answer, waitOf(answer.json))
    const { room_id: room } = answer.json as { room_id?: unknown }
    if (typeof room !== 'string') throw new NotSent(`Matrix knows no room ${to}.`, { forGood: true })
    return room
  }

  return {
    kind: 'matrix',
    deduplicates: true,
    problemOf: (to) =>
      /^[!#][^\s\0:]+(:[^\s\0]+)?$/.test(to) ? undefined : 'a Matrix room looks like !id:server or #name:server',
    split: (text) => splitText(text, maxBytes, 'bytes'),
    async send({ to, text, id }, signal) {
      const room = await roomOf(to, signal)
      const url = at('rooms', room, 'send', 'm.room.message', id)
      const answer = await send({ method: 'PUT', url, headers, body: { msgtype: 'm.notice', body: text }, signal })
      judgeAnswer('Matrix', answer, waitOf(answer.json))
    },
    close: async () => undefined,
  }
}

function waitOf(json: unknown): number | undefined {
  const { retry_after_ms: ms } = (json ?? {}) as { retry_after_ms?: unknown }
  return typeof ms === 'number' ? ms : undefined
}

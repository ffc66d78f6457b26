// What is sent to a gateway in one round: for each conversation one hook after the other.
import type { KilledGateway } from './killed-gateway.ts'

type Kind = 'discord' | 'telegram' | 'silent' | 'mapped' | 'wake'
const kinds: readonly Kind[] = ['discord', 'wake', 'telegram', 'mapped', 'silent']

export interface Item {
  /** In everything that is said about it. */
  mark: string
  kind: Kind
  sessionKey: string
}

export function planRound(round: number, conversations: number, turns: number): Item[][] {
  return Array.from({ length: conversations }, (_, conversation) =>
    Array.from({ length: turns }, (_, turn) => ({
      mark: `#${round}-${conversation}-${turn}#`,
      kind: kinds[(conversation + turn) % kinds.length] ?? 'wake',
      sessionKey: `hook:${round}-${conversation}`,
    })),
  )
}

/** Resolves to what was refused. */
export async function sendAll(gateway: KilledGateway, plan: readonly Item[][]): Promise<string[]> {
  const refused: string[] = []
  await Promise.all(
    plan.map(async (items) => {
      for (const item of items) {
        const status = await gateway.send(...requestOf(item), `key ${item.mark}`)
        if (status !== (item.kind === 'wake' ? 200 : 202)) refused.push(`${item.mark}: ${status}`)
      }
    }),
  )
  return refused
}

function requestOf({ mark, kind, sessionKey }: Item): [path: string, body: object] {
  if (kind === 'wake') return ['wake', { text: `Wake ${mark}` }]
  if (kind === 'mapped') return ['build', { mark, key: sessionKey }]
  const target = kind === 'silent' ? { deliver: false } : { channel: kind, to: '42' }
  return ['agent', { message: `Do ${mark}`, name: 'Crash', sessionKey, ...target }]
}

// Deliveries from the command line: what came in, what became of it, once more.

import { telling } from '../command-problem.ts'
import { show, timeText } from '../table.ts'
import { type ServerFlags, serverFrom } from './hooks-server.ts'
import type { Delivery, DeliveryDetail, Message } from './objects.ts'
import { indented, jsonText, onOneLine } from './plain-text.ts'

type Listed = ServerFlags & { json?: boolean }

interface ListFlags extends Listed {
  state?: string
  mapping?: string
  session?: string
  after?: string
  limit?: string
}

const titles = ['ID', 'RECEIVED', 'STATE', 'HOOK', 'NAME', 'ERROR']

const row = ({ id, receivedAt, state, path, name, error }: Delivery): string[] => [
  ...[id, timeText(receivedAt), state, onOneLine(path, 40)],
  ...[onOneLine(name ?? '', 40), onOneLine(error ?? '')],
]

export const listDeliveries = ({ json, state, mapping, session, after, limit, ...flags }: ListFlags): Promise<void> =>
  telling(async () => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries({ state, mapping, sessionKey: session, after, limit })) {
      if (value !== undefined) query.set(name, value)
    }
    const server = serverFrom(flags, process.env)
    const page = await server.get<{ deliveries: Delivery[]; hasMore: boolean }>(`/deliveries?${query}`)
    const none = 'No delivery is there that fits.'
    show(page.deliveries, { ...(json ? { json } : {}), titles, row, none })
    const last = page.deliveries.at(-1)
    if (page.hasMore && last !== undefined && !json) console.log(`There are more: --after ${last.id}`)
  })

export const showDelivery = (id: string, { json, ...flags }: Listed): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const delivery = await server.get<DeliveryDetail>(`/deliveries/${encodeURIComponent(id)}`)
    process.stdout.write(json ? jsonText(delivery) : described(delivery))
  })

function described(delivery: DeliveryDetail): string {
  const { id, state, path, sender, sessionKey, attempts, error, action, outcome, replayOf } = delivery
  const facts: [string, string | null | undefined][] = [
    ['state', `${state}, after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`],
    ['hook', `${path}, from ${sender}`],
    ['received', timeText(delivery.receivedAt)],
    ['ended', delivery.endedAt === null ? null : timeText(delivery.endedAt)],
    ['session', sessionKey],
    ['replay of', replayOf],
    ['error', error],
    ['reply', outcome?.delivery?.suppressed ?? outcome?.delivery?.outboxId],
  ]
  const lines = facts.flatMap(([name, value]) => (value ? [`${name.padEnd(10)} ${onOneLine(value, 500)}\n`] : []))
  const texts: [string, string | undefined][] = [
    ['What came', action?.message ?? action?.text],
    ['What was answered', outcome?.reply ?? outcome?.summary],
  ]
  const parts = texts.flatMap(([title, text]) => (text ? [`\n${title}:\n${indented(text)}`] : []))
  return [`${id}\n`, ...lines, ...parts].join('')
}

export const replayDelivery = (id: string, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const made = await server.send<{ id: string }>(`/deliveries/${encodeURIComponent(id)}/replay`, { method: 'POST' })
    console.log(`It is done again as ${made.id}.`)
  })

export const listDeadLetters = ({ json, ...flags }: Listed): Promise<void> =>
  telling(async () => {
    const letters = await serverFrom(flags, process.env).get<{ deliveries: Delivery[]; messages: Message[] }>(
      '/dead-letters',
    )
    if (json) {
      process.stdout.write(jsonText(letters))
      return
    }
    show(letters.deliveries, { titles, row, none: 'No delivery was given up.' })
    show(letters.messages, {
      titles: ['ID', 'CREATED', 'CHANNEL', 'TO', 'ERROR'],
      row: ({ id, createdAt, channel, to, error }) => [
        ...[id, timeText(createdAt), channel, onOneLine(to, 40), onOneLine(error ?? '')],
      ],
      none: 'No message was given up.',
    })
  })

export const retryDeadLetter = (id: string, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const path = `/dead-letters/${encodeURIComponent(id)}/retry`
    const retried = await server.send<{ kind: string; id: string }>(path, { method: 'POST' })
    console.log(retried.kind === 'message' ? 'It is sent again.' : `It is done again as ${retried.id}.`)
  })

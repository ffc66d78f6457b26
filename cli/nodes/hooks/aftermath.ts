// What is left after a round: deliveries, conversations, events and messages, by the item they are about.
import { type KilledGateway, markIn } from './killed-gateway.ts'

interface Delivery {
  id: string
  state: string
  duplicates: number
  attempts: number
  action: { message?: string; text?: string } | null
  outcome: { threadId?: string } | null
}

interface Message {
  state: string
  channel: string
  text: string
  error: string | null
}

interface ThreadMessage {
  role: string
  content: { text?: { value: string } }[]
}

const perPage = 1_000

/** Of the newest so many, those of the round. */
export async function deliveriesOf(
  gateway: KilledGateway,
  round: number,
  newest: number,
): Promise<Map<string, Delivery[]>> {
  const found = new Map<string, Delivery[]>()
  const { deliveries } = await gateway.admin<{ deliveries: Delivery[] }>(`/deliveries?limit=${newest}`)
  for (const { id } of deliveries) {
    const delivery = await gateway.admin<Delivery>(`/deliveries/${id}`)
    const mark = markIn(delivery.action?.message ?? delivery.action?.text ?? '') ?? ''
    if (mark.startsWith(`#${round}-`)) found.set(mark, [...(found.get(mark) ?? []), delivery])
  }
  return found
}

/** Who said what, in order: `user #0-3-1#`. */
export async function conversation(gateway: KilledGateway, threadId: string): Promise<string[]> {
  const path = `/threads/${threadId}/messages?order=asc&limit=100`
  const { data } = await gateway.platform<{ data: ThreadMessage[] }>(path)
  return data.map(({ role, content }) => `${role} ${markIn(content.map(({ text }) => text?.value ?? '').join(''))}`)
}

/** Texts of the main session's events: of wakes, and summaries of turns. */
export async function eventsOf(gateway: KilledGateway, round: number): Promise<string[]> {
  const { events } = await gateway.admin<{ events: { text: string }[] }>(`/system-events?limit=${perPage}`)
  return events.map(({ text }) => text).filter((text) => markIn(text)?.startsWith(`#${round}-`))
}

export async function messagesOf(gateway: KilledGateway, round: number): Promise<Message[]> {
  const { messages } = await gateway.admin<{ messages: Message[] }>(`/outbox?limit=${perPage}`)
  return messages.filter(({ text }) => markIn(text)?.startsWith(`#${round}-`))
}

/** Nothing waits, runs or is on its way. */
export async function isQuiet(gateway: KilledGateway): Promise<boolean> {
  const { deliveries, outbox, heartbeat } = await gateway.admin<{
    deliveries: { queued: number; running: number }
    outbox: { pending: number; sending: number }
    heartbeat: { openEvents: number; isRunning: boolean }
  }>('/status')
  const open = deliveries.queued + deliveries.running + outbox.pending + outbox.sending + heartbeat.openEvents
  return open === 0 && !heartbeat.isRunning
}

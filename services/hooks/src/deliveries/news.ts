// Tells every node that something happened to deliveries. The tables are the truth.
import type { Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import { z } from 'zod'

const topic = 'hooks-deliveries'
const News = z.object({ ids: z.array(z.string()) })
type News = z.infer<typeof News>

export const tellNews = (events: Events, tx: Tx, ids: readonly string[]): Promise<void> =>
  events.publish(tx, topic, { ids })

export const hearNews = (events: Events, listener: (news: News) => void): (() => void) =>
  events.subscribe(topic, (payload) => {
    const news = News.safeParse(payload)
    if (news.success) listener(news.data)
  })

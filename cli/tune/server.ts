// The side of a server that fine-tuning needs, over HTTP: files, jobs, and what they tell.
import type { FineTuningEvent, FineTuningJob } from '@atoll/platform/resources/fine-tuning/schema'
import { PlatformServer } from '../platform-server.ts'

interface NewJob {
  model: string
  training_file: string
  validation_file?: string | undefined
  suffix?: string | undefined
  seed?: number | undefined
  hyperparameters?: { n_epochs: number } | undefined
}

const jobs = 'fine_tuning/jobs'
const eventsAtOnce = 100

export class TuningServer extends PlatformServer {
  upload(path: string, signal: AbortSignal): Promise<string> {
    return this.sendFile(path, 'fine-tune', signal)
  }

  create(job: NewJob): Promise<FineTuningJob> {
    const headers = { 'content-type': 'application/json' }
    return this.json(jobs, { method: 'POST', body: JSON.stringify(job), headers })
  }

  find(id: string, signal: AbortSignal): Promise<FineTuningJob> {
    return this.json(`${jobs}/${encodeURIComponent(id)}`, { signal })
  }

  cancel(id: string): Promise<FineTuningJob> {
    return this.json(`${jobs}/${encodeURIComponent(id)}/cancel`, { method: 'POST' })
  }

  /** All that came after the event `after`, the oldest first. */
  async events(id: string, after: string | undefined, signal: AbortSignal): Promise<FineTuningEvent[]> {
    const all: FineTuningEvent[] = []
    for (let last = after; ; last = all.at(-1)?.id) {
      const query = new URLSearchParams({ order: 'asc', limit: String(eventsAtOnce), ...(last && { after: last }) })
      const path = `${jobs}/${encodeURIComponent(id)}/events?${query}`
      const { data, has_more } = await this.json<EventPage>(path, { signal })
      all.push(...data)
      if (!has_more || data.length === 0) return all
    }
  }
}

interface EventPage {
  object: string
  data: FineTuningEvent[]
  has_more: boolean
}

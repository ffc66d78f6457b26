// Who reads the streams of responses in the background, in this process.
import type { Database } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { Log } from '@atoll/kernel/telemetry/log'
import { StreamHub } from '../../../tool-loop/stream-hub.ts'
import type { ResponseEvent } from './event.ts'
import { eventsAfter, lastSequence } from './event-rows.ts'
import { type ReaderOptions, ResponseReader } from './reader.ts'

export class ResponseHub extends StreamHub<ResponseEvent, ReaderOptions, ResponseReader> {
  constructor({ db, events, log }: { db: Database; events: Events; log: Log }) {
    super({
      ...{ events, log, topic: 'responses' },
      load: async (id, readers) => {
        const known = Math.min(...readers.map(({ last }) => last))
        const found = await eventsAfter(db.queries, id, known)
        // Nothing new, or nothing at all any more?
        return found.length === 0 && (await lastSequence(db.queries, id)) < 0 ? undefined : found
      },
      newReader: (options, onClose) => new ResponseReader(options, onClose),
      words: {
        gone: 'This response was deleted.',
        shutDown: 'The server is shutting down. The response goes on when it is back.',
        lost: 'The server could not follow this response. Retrieve it to see how it ended.',
      },
    })
  }
}

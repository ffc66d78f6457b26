// Logs of tasks that another manager reaches: its own, and those of workers that are connected to it.
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { LogsQuery } from '../../resources/containers/logs/logs-query.ts'
import { type Channel, openChannel } from '../session/channel.ts'
import { connect, type Trust } from '../session/connect.ts'
import { FromWorker, maxWorkerBytes, Refusal } from '../session/messages.ts'
import { LogSender, type LogSenderParts } from '../worker/log-sender.ts'
import { RemoteLogs } from './remote-logs.ts'
import type { Session } from './swarm-listener.ts'

const Wish = z.discriminatedUnion('is', [
  z.object({ is: z.literal('logs'), id: z.string(), taskId: z.string(), query: z.custom<LogsQuery>() }),
  z.object({ is: z.literal('logsMore'), id: z.string() }),
  z.object({ is: z.literal('logsStop'), id: z.string() }),
])

/** What another manager asks for is read here. */
export function serveLogs(channel: Channel, read: LogSenderParts['read']): Session {
  const sender = new LogSender({ read, send: (message) => channel.send(message) })
  return {
    message(message) {
      const wish = Wish.parse(message)
      if (wish.is === 'logs') sender.begin(wish.id, wish.taskId, wish.query)
      else if (wish.is === 'logsMore') sender.more(wish.id)
      else sender.stop(wish.id)
    },
    closed: () => sender.stopAll(),
  }
}

/** Of a task, by way of the manager at an address. */
export async function relayLogs(address: string, trust: Trust, taskId: string, query: LogsQuery): Promise<Readable> {
  const socket = await connect(address, trust)
  const logs = new RemoteLogs((message) => channel.send(message))
  const channel = openChannel(socket, () => maxWorkerBytes, {
    message(message) {
      if (Refusal.safeParse(message).success) return channel.destroy()
      const read = FromWorker.parse(message)
      if (read.is === 'logs') logs.take(read)
    },
    closed: () => logs.closed(),
  })
  channel.send({ ask: 'relay' })
  const stream = logs.open(taskId, query)
  stream.once('close', () => channel.end())
  return stream
}
